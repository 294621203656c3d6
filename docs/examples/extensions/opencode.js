// A plugin of OpenCode: brim's summary, with the user's words, goes out in place of the one that a compaction wrote.
// Copy it to .opencode/plugin/brim.js; the command brim has to be on the PATH.
import { spawnSync } from "node:child_process";

const COMMAND = ["compact", "-", "--json", "--window", "200000", "--keep-tokens", "1"]; // OpenCode keeps its own

export const Brim = async ({ client }) => {
  const written = new Map(); // brim's summaries, by the id of OpenCode's

  async function write({ id, sessionID }) {
    const session = { path: { id: sessionID } };
    const { data: info } = await client.session.get(session);
    const { data: all } = await client.session.messages(session);
    const before = all.slice(0, all.findIndex((one) => one.info.id === id));
    // Also what an earlier compaction removed: brim writes the summary anew from all messages.
    const isSaid = ({ info, parts }) => info.summary !== true && parts.every((part) => part.type !== "compaction");
    const said = before.filter(isSaid);
    const user = said.findLast((one) => one.info.role === "user").info;
    // brim keeps the newest words apart from the summary.
    const next = { info: { ...user, id: "msg_next" }, parts: [{ type: "text", text: "Go on." }] };
    const input = JSON.stringify({ info, messages: [...said, next] });
    const ran = spawnSync("brim", COMMAND, { input, encoding: "utf8", maxBuffer: 1e8 });
    return ran.status === 0 ? JSON.parse(ran.stdout).summary : undefined;
  }

  return {
    "experimental.chat.messages.transform": async (_, { messages }) => {
      for (const { info, parts } of messages) {
        const summary = info.summary === true && parts.find((part) => part.type === "text");
        if (!summary) continue;
        if (!written.has(info.id)) written.set(info.id, await write(info));
        summary.text = written.get(info.id) || summary.text;
      }
    },
  };
};
