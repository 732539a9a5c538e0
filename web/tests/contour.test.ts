import { expect, test } from "vitest";
import { readStress } from "../src/data/story";
import { frameAt, heat } from "../src/scene/contour";

const whole = { body: "frame", nodes: [[1, 0, 0, 0], [2, 1, 0, 0]], lines: [0, 1], times: [0, 1], mises: [1, 2, 3, 4], moves: new Array(12).fill(0), spots: [{ node: 2, element: 1, point: 1, von_mises: 4, time: 1 }] };

test("stresses that are whole are read, others are told", () => {
  const faults: string[] = [];
  expect(readStress(whole, faults)?.nodes.length).toBe(2);
  expect(readStress(null, faults)).toBeNull();
  expect(faults).toEqual([]);
  expect(readStress({ ...whole, mises: [1, 2, 3] }, faults)).toBeNull();
  expect(readStress({ ...whole, lines: [0, 2] }, faults)).toBeNull();
  expect(faults.length).toBe(2);
});

test("a time lies between two frames", () => {
  expect(frameAt([0, 1, 3], 2)).toEqual([1, 0.5]);
  expect(frameAt([0, 1, 3], 9)).toEqual([1, 1]);
  expect(frameAt([0, 1, 3], -1)).toEqual([0, 0]);
  expect(frameAt([0], 5)).toEqual([0, 0]);
});

test("colours go from blue to red", () => {
  expect(heat(0)[2]).toBeGreaterThan(heat(0)[0]);
  expect(heat(1)[0]).toBeGreaterThan(heat(1)[2]);
  expect(heat(2)).toEqual(heat(1));
});
