// The sample pages, from the page as it is committed; and pages of examples by the program.
import { make, PAGES } from "../sample/pages";
import { makeExamples } from "./examples";
import { fileURLToPath } from "node:url";

export default function (): void {
  make(Object.keys(PAGES).filter((n) => n !== "crowd"));
  makeExamples(fileURLToPath(new URL("../out/", import.meta.url)));
}
