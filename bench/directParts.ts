/** What `direct.mjs` needs of the sources: frames, written and read by the code of the server. */
export { parseResourcePath } from "../src/protocol/request/resourcePath.ts";
export { answerHasBody } from "../src/protocol/rntbd/answerFrame.ts";
export { encodeContext } from "../src/protocol/rntbd/context.ts";
export { FrameReader } from "../src/protocol/rntbd/frameReader.ts";
export { encodeRequestFrame } from "../src/protocol/rntbd/requestFrame.ts";
