import type { Area } from "../area.ts";

const paid = (unpaid: boolean) => ({ call: "POST /sandbox/switches", form: { unpaid } });
const BOUND = {
  filename: "sail.txt",
  attachment: [{ customer: { id: "$ann" } }, { order: { id: 5001 } }, { order: { id: "$order" } }],
};

export const FILES: Area = {
  operations: {
    filesUpload: {
      bytes: "A sail",
      keep: { file: "file.id" },
      also: [{ bytes: undefined, file: "Another sail" }],
      refused: [{ before: [paid(true)], after: [paid(false)] }],
      never: { "402": "the recorded refusal of an unpaid account has 400" },
    },
    filesEdit: { path: { id: "$file" }, form: { file: BOUND } },
    filesGet: { path: { id: "$file" } },
    filesDownload: { path: { id: "$file" } },
    filesList: {
      finds: {
        "filter[customerIds][]": "$ann",
        "filter[customerExternalIds][]": "ann",
        "filter[orderIds][]": "5001",
        "filter[orderExternalIds][]": "order-1",
        "filter[sites][]": "shop",
      },
    },
    filesDelete: {
      before: [{ call: "filesUpload", bytes: "Ballast", keep: { gone: "file.id" } }],
      path: { id: "$gone" },
    },
  },
};
