import * as z from "zod";
import * as events from "./events.ts";
import { ID, SIGNATURE, TIMESTAMP } from "./signature.ts";
import { FILE_BYTES } from "./wire.ts";

/** Schemas of the document, by name. */
const SCHEMAS = {
  Customer: events.customer,
  Mark: events.mark,
  Money: events.money,
  Product: events.product,
  Order: events.order,
  InboundEvent: events.inboundEvent,
  OutboundEvent: events.outboundEvent,
  Accepted: events.accepted,
  Page: events.page,
  UploadRequest: events.uploadRequest,
  UploadOffer: events.uploadOffer,
  Uploaded: events.uploaded,
  Refusal: events.refusal,
  CallbackAnswer: events.callbackAnswer,
  CallbackRefusal: events.callbackRefusal,
};
type Name = keyof typeof SCHEMAS;

/** Such as `InboundMessageCreated`. */
const eventName = (way: "Inbound" | "Outbound", type: string) =>
  way + type.replace(/(^|\.)[a-z]/g, (start) => start.replace(".", "").toUpperCase());

const refTo = (name: Name) => ({ $ref: `#/components/schemas/${name}` });
const json = (name: Name) => ({ "application/json": { schema: refTo(name) } });
const answer = (description: string, name?: Name) => ({ description, ...(name && { content: json(name) }) });
const header = (name: string, description: string) => ({
  ...{ name, in: "header", required: true, description, schema: { type: "string" } },
});
const query = (name: string, description: string, schema: object) => ({ name, in: "query", description, schema });
const inPath = (name: string, description: string) => ({
  ...{ name, in: "path", required: true, description, schema: { type: "string" } },
});

const SIGNED = [
  header(ID, "Unique for each event, and the same in a repeat: the idempotency key."),
  header(TIMESTAMP, "Unix time, s; at most 300 s off."),
  header(
    SIGNATURE,
    '`v1,` and the base64 of the HMAC-SHA256 of "<id>.<timestamp>.<body>", with the bytes behind `whsec_` as key; several separated by a space.',
  ),
];
const DOOR = inPath("door", "The last part of the channel's address.");
const REFUSALS = {
  400: answer("The request is not right: each wrong field is named.", "Refusal"),
  401: answer("Not signed with the channel's secret.", "Refusal"),
};
const LATER = { 503: answer("It could not be stored: send it again, with the same webhook-id.", "Refusal") };
const TOO_LARGE = { 413: answer("The body is too large.", "Refusal") };

const PATHS = {
  "/{door}": {
    parameters: [DOOR],
    post: {
      operationId: "sendEvent",
      summary: "Tell what a customer has done",
      parameters: SIGNED,
      requestBody: { required: true, content: json("InboundEvent") },
      responses: {
        200: answer("It is stored. A repeat is answered alike.", "Accepted"),
        ...REFUSALS,
        ...TOO_LARGE,
        ...LATER,
      },
    },
    get: {
      operationId: "listEvents",
      summary: "Read the events that you were, or should have been, told",
      description:
        "The body is empty, and signed as such. All events are here, also those that your address has taken.",
      parameters: [
        ...SIGNED,
        query("after", "A cursor; absent: from the beginning.", { type: "string" }),
        query("limit", "Most events.", { type: "integer", minimum: 1, maximum: 100, default: 50 }),
        query("wait", "How long to wait while there is nothing new, s.", { type: "integer", minimum: 0, maximum: 25 }),
      ],
      responses: {
        200: answer("A page of events.", "Page"),
        ...REFUSALS,
        429: answer("Too many wait already: ask without waiting.", "Refusal"),
      },
    },
  },
  "/{door}/uploads": {
    parameters: [DOOR],
    post: {
      operationId: "offerUpload",
      summary: "Announce a file",
      parameters: SIGNED,
      requestBody: { required: true, content: json("UploadRequest") },
      responses: { 200: answer("Where its bytes go.", "UploadOffer"), ...REFUSALS, ...TOO_LARGE },
    },
  },
  "/{door}/uploads/{ticket}": {
    parameters: [DOOR, inPath("ticket", "From the offer's address.")],
    post: {
      operationId: "upload",
      summary: "Upload the bytes of an announced file",
      requestBody: { required: true, content: { "application/octet-stream": {} } },
      responses: {
        200: answer("It is kept.", "Uploaded"),
        400: answer("It is empty.", "Refusal"),
        403: answer("The address is not ours, or too old.", "Refusal"),
        413: answer(`It has more than ${FILE_BYTES} bytes.`, "Refusal"),
        ...LATER,
      },
    },
  },
  "/{door}/files/{file}": {
    parameters: [DOOR, inPath("file", "From an event.")],
    get: {
      operationId: "getFile",
      summary: "An agent's file",
      responses: { 200: answer("Its bytes."), 404: answer("It is not there any more.", "Refusal") },
    },
  },
};

const WEBHOOKS = {
  event: {
    post: {
      operationId: "receiveEvent",
      summary: "What you are told at your own address",
      parameters: SIGNED,
      requestBody: { required: true, content: json("OutboundEvent") },
      responses: {
        "2XX": answer("You have it. A body is not needed.", "CallbackAnswer"),
        "4XX": answer("With this body: you refuse it for good, and the agent reads why.", "CallbackRefusal"),
        410: answer("You want no more events: the channel rests until somebody saves it anew."),
        429: answer("Later: Retry-After says when. So do 502, 503 and 504; everything else is sent again."),
      },
    },
  },
};

/** The OpenAPI 3.1 document of this API, generated from the schemas that parse its requests. */
export function openApi(): object {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(SCHEMAS)) registry.add(schema, { id });
  for (const [type, schema] of Object.entries(events.inbound)) registry.add(schema, { id: eventName("Inbound", type) });
  for (const [type, schema] of Object.entries(events.outbound))
    registry.add(schema, { id: eventName("Outbound", type) });
  const { schemas } = z.toJSONSchema(registry, { io: "input", uri: (id) => `#/components/schemas/${id}` });
  return {
    openapi: "3.1.1",
    info: {
      title: "Gangway HTTP API",
      version: "1",
      summary: "Any app, bot platform or messenger joins by signed webhooks, in both directions.",
      description: "Signatures are those of Standard Webhooks (https://www.standardwebhooks.com).",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/m", description: "The server that this document comes from." }],
    // Signed by headers, which are parameters of each operation.
    security: [],
    paths: PATHS,
    webhooks: WEBHOOKS,
    components: { schemas: Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, bare(schema)])) },
  };
}

const bare = ({ $schema: _, $id: __, ...schema }: Record<string, unknown>) => schema;
