import { randomText } from "gangway-messenger/kit/emulator/random";
import type { Asked, Operation } from "gangway-meta/emulator/graph";
import { unknownNode } from "gangway-meta/emulator/graph-error";
import { badParam } from "./codes.ts";
import type { Network } from "./network.ts";

// The Resumable Upload API: https://developers.facebook.com/docs/graph-api/guides/upload

const TYPES = ["application/pdf", "image/jpeg", "image/jpg", "image/png", "video/mp4"];
/** Of a handle and of the example's own address. */
const LIFE_MS = 30 * 86_400_000;

export const uploadOperations = (network: Network): Operation[] => [
  { id: "beginUpload", method: "POST", path: "/:appId{\\d+}/uploads", run: (asked) => beginUpload(network, asked) },
  { id: "uploadExample", method: "POST", path: "/:session{upload:.+}", run: (asked) => uploadExample(network, asked) },
];

/** POST /{app id}/uploads. */
function beginUpload({ core, uploads }: Network, asked: Asked): object {
  const app = asked.path.appId ?? "";
  if (asked.token().app !== app) throw unknownNode(app, "post");
  const given = { ...asked.query, ...asked.body } as Record<string, string>;
  const { file_name: name = "file", file_length, file_type: mediaType = "" } = given;
  const size = Number(file_length);
  if (!Number.isInteger(size) || size <= 0) throw badParam("The parameter file_length is required.");
  if (!TYPES.includes(mediaType)) throw badParam(`Param file_type must be one of {${TYPES.join(", ")}}`);
  const about = Buffer.from(`${name}?file_length=${size}&file_type=${mediaType}`).toString("base64");
  const id = `upload:${about}?sig=AR${randomText(24, core.random)}`;
  uploads.sessions.set(id, { app, name, mediaType, size });
  return { id };
}

/** POST /{upload session}: the path and the query are its id. */
function uploadExample({ core, uploads }: Network, asked: Asked): object {
  const id = `${asked.path.session}?sig=${asked.query.sig}`;
  const session = uploads.sessions.get(id);
  if (asked.token().app !== session?.app) throw unknownNode(asked.path.session ?? "", "post");
  const { name, mediaType, size } = session;
  if (asked.header("file_offset") !== "0") throw badParam("The parameter file_offset is required.");
  const { bytes } = asked;
  if (bytes?.byteLength !== size) throw badParam("Partial request (did not match length of file)");
  uploads.sessions.delete(id);
  const medium = core.media.add({ owner: session.app, name, mediaType, bytes, lifeMs: LIFE_MS });
  const parts = [Buffer.from(name).toString("base64"), Buffer.from(mediaType).toString("base64")];
  const h = `4:${parts.join(":")}:AR${randomText(40, core.random)}:e:${Math.floor(medium.until / 1000)}:${session.app}`;
  uploads.handles.set(h, medium);
  return { h };
}

/** The public address of an example, as a list of templates shows it; undefined: there is no such handle of this type. */
export function exampleUrl({ core, uploads }: Network, handle: string, format: string): string | undefined {
  const medium = uploads.handles.get(handle);
  if (!medium || !FORMATS[format]?.test(medium.mediaType)) return undefined;
  return `${core.origin()}${core.media.link(medium, LIFE_MS, false)}`;
}

const FORMATS: Record<string, RegExp> = { IMAGE: /^image\//, VIDEO: /^video\//, DOCUMENT: /^application\/pdf$/ };
