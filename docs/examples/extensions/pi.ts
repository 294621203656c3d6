// An extension of pi: brim writes the summary of each compaction, without a model and with the user's words.
// Copy it to ~/.pi/agent/extensions/brim.ts; the command brim has to be on the PATH.
import { spawnSync } from "node:child_process";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function (pi: ExtensionAPI) {
  pi.on("session_before_compact", async ({ preparation, branchEntries }, ctx) => {
    // All messages, also those before an earlier compaction: brim writes the summary anew from them.
    const said = branchEntries.filter((one) => one.type === "message");
    const messages = said.map(({ type, message }) => ({ type, message }));
    const header = { type: "session", version: 3, id: "brim", cwd: ctx.cwd };
    const next = { type: "message", message: { role: "user", content: "Go on." } }; // brim keeps the newest words apart
    const input = [header, ...messages, next].map((line) => JSON.stringify(line)).join("\n");
    const limits = ["--window", String(ctx.model?.contextWindow ?? 200_000), "--keep-tokens", "1"]; // pi keeps its own
    const ran = spawnSync("brim", ["compact", "-", "--json", ...limits], { input, encoding: "utf8", maxBuffer: 1e8 });
    if (ran.status !== 0) {
      ctx.ui.notify(`brim: ${ran.error ?? ran.stderr}`, "warning");
      return; // pi's own model writes it
    }
    const { compacted, summary } = JSON.parse(ran.stdout);
    const { firstKeptEntryId, tokensBefore } = preparation;
    return compacted ? { compaction: { summary, firstKeptEntryId, tokensBefore } } : undefined;
  });
}
