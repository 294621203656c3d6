// The worked adapter with one mistake, made on purpose: what the features say of a port that misread a rule.
//
//     pytest features/ --implementation "node docs/implementers/wrong-adapter.mjs"
//
// The rule asks for nine tenths of the window. This takes 50,000 off first, which is the rule of another port:
// 135,000 in place of 180,000 for a window of 200,000. Exactly the scenarios that name the rule fail.

import { profiles, serve } from "./adapter.mjs";

profiles["codelet-typescript"].threshold = (given) => ((given.context_window - 50_000n) * 9n) / 10n;

await serve();
