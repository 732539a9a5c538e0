// What a page holds: the head as JSON. The contract is in web/README.md; both sides keep to it.

export type Vector = [number, number, number];
export type Quaternion = [number, number, number, number]; // real part first

export interface Head {
  format: "flyball-page";
  version: 1;
  generator?: string;
  title?: string;
  results: ResultHead[];
}

export interface ResultHead {
  name: string;
  record: RunRecord;
  scene: SceneData | null;
  channels: ChannelHead[];
  tables: TableHead[];
  story: StoryData | null;
}

export interface ChannelHead {
  name: string;
  unit: string;
  description?: string | null;
}

export interface TableHead {
  kind: "samples" | "envelope";
  rows: number;
  source_rows?: number;
  columns: ColumnHead[];
}

export interface ColumnHead {
  channel: number; // -1: time
  type: "f64" | "f32" | "q16";
  block: number;
  offset: number;
  bias?: number;
  scale?: number;
}

export interface BlockRef {
  block: number;
  offset: number;
  count: number;
}

// ------------------------------------------------------------------------------------------ scene

export interface SceneData {
  planar?: boolean;
  gravity?: Vector | null;
  size?: number | null;
  bodies: BodyData[];
  joints?: JointData[];
  motions?: MotionData[];
  forces?: ForceData[];
  trails?: TrailData[];
}

export type Facts = Record<string, unknown>;

export interface BodyData {
  name: string;
  kind: "rigid" | "planar" | "point" | "ground";
  line?: number | null;
  mass?: number | null;
  inertia?: number[] | null;
  center?: Vector | null;
  position?: Vector | null;
  quaternion?: Quaternion | null;
  shapes?: ShapeData[];
  markers?: MarkerData[];
}

export interface MarkerData {
  name: string;
  at: Vector;
  quaternion?: Quaternion | null;
}

interface Placed {
  at?: Vector | null;
  quaternion?: Quaternion | null;
  color?: string | null;
  name?: string | null;
}

export type ShapeData = Placed &
  (
    | { type: "box"; size: Vector }
    | { type: "cylinder"; radius: number; length: number }
    | { type: "sphere"; radius: number }
    | { type: "capsule"; radius: number; length: number }
    | { type: "cone"; radius: number; height: number }
    | { type: "tube"; radius: number; inner: number; length: number }
    | { type: "mesh"; vertices: BlockRef; triangles: BlockRef }
    | { type: "link"; points: Vector[]; radius?: number | null }
  );

export interface EndData {
  body: string;
  marker?: string | null;
  at: Vector;
  quaternion?: Quaternion | null;
}

export interface JointData {
  name: string;
  type: string;
  line?: number | null;
  ends?: EndData[];
  joints?: string[];
  rows?: string[];
  data?: Facts;
}

export interface MotionData {
  name: string;
  joint: string;
  line?: number | null;
  data?: Facts;
}

export interface ForceData {
  name: string;
  type: string;
  line?: number | null;
  ends?: EndData[];
  joint?: string | null;
  axes?: EndData | null;
  data?: Facts;
}

export interface TrailData {
  name: string;
  body: string;
  at: Vector;
}

// ------------------------------------------------------------------------------------------ record and story

export interface Note {
  text: string;
  element?: string | null;
  line?: number | null;
  time?: number | null;
  row?: string | null;
}

export interface Certificate {
  certified?: boolean;
  reasons?: string[];
  error?: { estimate: number | null; allowed: number | null } | null;
  position?: number | null;
  velocity?: number | null;
  acceleration?: number | null;
  start_position?: number | null;
  start_velocity?: number | null;
  energy?: {
    start?: number | null;
    end?: number | null;
    drift?: number | null;
    ledger?: { name: string; value: number | null; channel?: string | null }[] | null;
    residual?: number | null;
  } | null;
}

export type RunStatus = "ok" | "failed" | "interrupted" | "running" | "none";

export interface RunRecord {
  version?: string;
  command?: string;
  model?: { name?: string; file?: string | null; text?: string | null };
  options?: Facts;
  status: RunStatus;
  message?: string | null;
  time?: { start?: number | null; reached?: number | null; end?: number | null };
  model_info?: Record<string, number | null>;
  certificate?: Certificate | null;
  stats?: Record<string, number | null>;
  redundancy?: Note[];
  warnings?: Note[];
  hash?: string | null;
}

type Numbers = (number | null)[];

export interface StoryData {
  t: number[];
  steps?: Numbers;
  h_min?: Numbers;
  h_max?: Numbers;
  newton?: Numbers;
  rejected?: Record<string, Numbers>;
  ratio?: Numbers;
  position?: Numbers;
  velocity?: Numbers;
  acceleration?: Numbers;
  energy?: Numbers;
  residual?: Numbers;
  events?: { t: number; name?: string; text?: string }[];
  rejections?: { t: number; h: number | null; reason: string; text?: string | null }[];
}
