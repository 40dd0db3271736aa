import { parsed } from "./json.ts";
import type { ShownFile } from "./protocol.ts";
import { errorFrom, type PostFile } from "./server.ts";

export const postFile: PostFile = (url, { headers, file, signal, sent, timeoutMs }) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", url);
    request.timeout = timeoutMs;
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => sent(total > 0 ? loaded / total : 0);
    request.onload = () => {
      const answer = parsed<ShownFile>(request.responseText);
      const answered = { status: request.status, headers: { get: (name: string) => request.getResponseHeader(name) } };
      if (request.status < 300 && answer?.id) resolve(answer);
      else reject(errorFrom(answered, answer));
    };
    request.onerror = request.ontimeout = request.onabort = () => reject(new Error("unreachable"));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
