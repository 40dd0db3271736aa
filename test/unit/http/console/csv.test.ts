import { expect, it } from "vitest";
import { csvOf } from "../../../../src/http/console/csv.ts";

it("a table is quoted as RFC 4180 has it, and begins no formula; an id stays what it is, also with a dash before it", () => {
  const id = "-B3_aB3_aB3_aB3_aB3_aB";
  const rows = [
    { id, text: '=1+"1",\n2', n: -1 },
    { id: "+", text: "-1+cmd", n: undefined },
  ];
  expect(csvOf(["id", "text", "n"], rows).split("\r\n")).toEqual([
    "id,text,n",
    `${id},"'=1+""1"",\n2",-1`,
    "'+,'-1+cmd,",
    "",
  ]);
});
