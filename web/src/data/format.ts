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
  notes?: string[]; // about this page: what was left out or thinned
  record: unknown;
  scene: SceneData | null;
  channels: ChannelHead[];
  tables: TableHead[];
  story: StoryData | null;
  modes?: ModesData | null;
  stress?: unknown; // of a flexible body: StressData, if it is whole
  errors?: unknown; // estimated errors over time: ErrorsData, if it is whole
}

export interface ChannelHead {
  name: string;
  unit?: string;
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
  contacts?: ContactData[];
  trails?: TrailData[];
}

export type Facts = Record<string, unknown>;

export interface BodyData {
  name: string;
  kind: string; // rigid, planar, point, ground, and what else a body may be
  line?: number | null;
  file?: string | null;
  mass?: number | null;
  data?: Facts;
  inertia?: number[] | null;
  center?: Vector | null;
  position?: Vector | null;
  quaternion?: Quaternion | null;
  color?: string | null;
  shapes?: ShapeData[];
  curve?: CurveData | null; // of a beam that deforms
  markers?: MarkerData[];
}

// Points along it in its frame, where nothing is deformed, and what one metre of each mode moves them by: three numbers
// a point; three a mode, mode by mode, point by point.
export interface CurveData {
  points: number[];
  shapes: number[];
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
  file?: string | null;
  ends?: EndData[];
  joints?: string[];
  rows?: string[];
  data?: Facts;
}

export interface MotionData {
  name: string;
  joint: string;
  line?: number | null;
  file?: string | null;
  data?: Facts;
}

export interface ForceData {
  name: string;
  type: string;
  look?: string | null; // spring, coil, bushing, rod, arrow: what it is drawn as
  line?: number | null;
  file?: string | null;
  ends?: EndData[];
  joint?: string | null;
  axes?: EndData | null;
  data?: Facts;
}

// A pair of bodies that may touch. Its channels: NAME.normal, .px .py .pz where, .fx .fy .fz the force on the second body, .nx .ny .nz what
// of it presses; all along the axes of space.
export interface ContactData {
  name: string;
  line?: number | null;
  file?: string | null;
  bodies: string[];
}

export interface TrailData {
  name: string;
  body: string;
  at: Vector;
}

// ------------------------------------------------------------------------------------------ record and story

// In the terms of the page: data/record.ts makes it of what the program writes.
export interface Certificate {
  estimate: number | null;
  position: number | null;
  velocity: number | null;
  acceleration: number | null;
  startPosition: number | null;
  startVelocity: number | null;
  energy: {
    start: number | null;
    end: number | null;
    work: { name: string; value: number | null }[]; // done on the model
    worst: number | null; // largest amount that the ledger does not explain
    moved: number | null; // largest amount of energy that changed hands
  } | null;
}

// What was checked, in the program's words.
export interface Judgement {
  state: "kept" | "controlled" | "uncontrolled" | "wrong"; // controlled: but not estimated, or with a reservation
  sentence: string;
}

// The error of the whole run, as a comparison with runs at looser tolerances shows it.
export interface GlobalError {
  asked: number | null;
  setting: number | null; // the tolerance that steps were held to, or their size
  growth: number | null; // of their errors on the way to the end
  doubling: number | null; // time in which they double [s]
  error: number | null; // largest, weighted as `asked`
  believable: number | null; // until when [s]; null: to the end
  note: string | null;
  channels: { name: string; unit: string; end: number | null; largest: number | null }[];
}

export type RunStatus = "ok" | "failed" | "stopped" | "running" | "none" | "unknown";

// A part of a run that one method integrated, and why that one.
export interface MethodStretch {
  method: string;
  from: number;
  to: number;
  steps: number | null;
  why: string;
}

export interface RunRecord {
  program: string | null;
  status: RunStatus;
  statusWord: string; // the program's
  message: string | null;
  reached: number | null; // [s]
  end: number | null;
  modelName: string | null;
  files: { name: string; text: string | null }[];
  about: string | null;
  set: string[];
  parameters: Record<string, number | null>;
  options: Facts;
  error: number | null; // what was allowed
  errorPer: string | null; // run, step
  step: number | null; // fixed
  poise: string | null; // of an equilibrium: stable, unstable, neutral, unknown
  open: OpenJoint[]; // joints that cannot be closed, worst first
  system: Record<string, number | null>;
  certificate: Certificate | null;
  verdict: Judgement | null;
  globalError: GlobalError | null;
  stats: Record<string, number | null>;
  profile: Record<string, number | null>; // seconds by phase; empty: not asked for
  entries: Record<string, number | null>; // how often each phase was entered
  hottest: HotContact[]; // contacts, those that lost most first
  methods: MethodStretch[]; // method auto: who integrated what; empty for others
  redundancy: string[];
  warnings: string[];
  hash: string | null;
  damaged: boolean; // some of it could not be read
}

export interface HotContact {
  contact: string;
  heat: number | null; // [J]
  largest: number | null; // force that pressed [N],
  when: number | null; // and its time [s]
  deepest: number | null; // [m]
}

export interface OpenJoint {
  joint: string;
  length: number | null; // what is left open [m]
  angle: number | null; // [rad]
}

type Numbers = (number | null)[];

export interface StoryData {
  t: number[];
  steps?: Numbers;
  h_min?: Numbers;
  h_max?: Numbers;
  newton?: Numbers;
  newton_max?: Numbers;
  estimate?: Numbers;
  rejected?: Record<string, Numbers>;
  ratio?: Numbers;
  position?: Numbers;
  velocity?: Numbers;
  acceleration?: Numbers;
  events?: { t: number; name?: string; text?: string }[];
  rejections?: { t: number; h: number | null; reason: string; text?: string | null }[];
}

// The attachment stress.json: a flexible body as it is stressed and moved at some times (frames), node by node.
export interface StressData {
  body: string;
  nodes: number[][]; // number, x, y, z in its frame, where nothing is deformed
  lines: number[]; // two nodes of each beam
  times: number[];
  mises: number[]; // [Pa] (frames x nodes)
  moves: number[]; // in its axes [m] (frames x nodes x 3)
  spots: { node: number; von_mises: number; time: number }[];
}

// The attachment errors.json: how far each channel may be off, the largest so far at each time.
export interface ErrorsData {
  time: number[];
  channels: { name: string; largest: Numbers }[];
}

// ------------------------------------------------------------------------------------------ modes

export interface ModesData {
  bodies: string[];
  modes: ModeData[];
}

export interface ModeData {
  number: number;
  kind: string; // oscillating, decaying, rigid-body ...
  real: number; // of the eigenvalue [1/s]
  imag: number;
  frequency: number; // [Hz]
  damping: number | null;
  share: number[]; // of each body in the kinetic energy
  shape: number[]; // 12 a body: displacement x, y, z, turn x, y, z in space axes, each real and imaginary part
}
