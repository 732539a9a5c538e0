import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    dir: "e2e",
    include: ["**/*.e2e.ts"],
    globalSetup: ["e2e/setup.ts"],
    testTimeout: 60000,
    hookTimeout: 60000,
    fileParallelism: false,
  },
});
