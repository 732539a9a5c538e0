// Everything in one page that opens from disk: script and styles are put into the HTML, nothing is fetched.
import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

const LICENCES = [
  ["three.js", "node_modules/three/LICENSE"],
  ["uPlot", "node_modules/uplot/LICENSE"],
] as const;

// A classic script at the end of the body, after the data: it runs when all blocks have been parsed.
function singlePage(): Plugin {
  return {
    name: "single-page",
    enforce: "post",
    generateBundle(_options, bundle) {
      let script = "", style = "";
      for (const [file, part] of Object.entries(bundle)) {
        if (part.type === "chunk") script += part.code;
        else if (file.endsWith(".css")) style += String(part.source);
        else continue;
        delete bundle[file];
      }
      const page = bundle["index.html"];
      if (page?.type !== "asset") throw new Error("no index.html in the bundle");
      const licences = LICENCES.map(([name, path]) => `${name}\n\n${readFileSync(path, "utf8").trim()}`).join("\n\n");
      let html = String(page.source)
        .replace(/\s*<script type="module"[^>]*><\/script>/, "")
        .replace(/\s*<link rel="stylesheet"[^>]*>/, "");
      const put = (mark: string, text: string): void => {
        if (html.split(mark).length !== 2) throw new Error(`${mark} must be in index.html once`);
        html = html.replace(mark, () => text);
      };
      put("<!--licences-->", `<!--\nThis page contains:\n\n${licences.replaceAll("--", "- -")}\n-->`);
      put("<!--style-->", `<style>\n${style.trim()}\n</style>`);
      put("<!--script-->", `<script>\n${script.trim().replaceAll("</script", "<\\/script")}\n</script>`);
      page.source = html;
      page.fileName = "report.html";
    },
  };
}

export default defineConfig({
  build: {
    target: "es2022",
    outDir: "dist",
    modulePreload: false,
    cssCodeSplit: false,
    reportCompressedSize: false,
    rollupOptions: { output: { format: "iife", inlineDynamicImports: true, entryFileNames: "page.js" } },
  },
  plugins: [singlePage()],
});
