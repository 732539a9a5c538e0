// npm run sample [NAME...]
import { make, PAGES } from "./pages";

const names = process.argv.slice(2).filter((a) => a in PAGES);
make(names.length > 0 ? names : Object.keys(PAGES).filter((n) => n !== "crowd"));
