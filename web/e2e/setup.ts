// The sample pages, from the page as it is committed.
import { make, PAGES } from "../sample/pages";

export default function (): void {
  make(Object.keys(PAGES).filter((n) => n !== "crowd"));
}
