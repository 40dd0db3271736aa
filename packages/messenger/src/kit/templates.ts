import { describe, expect, it } from "vitest";
import { DeliveryError } from "../errors.ts";
import type { ChatId, MessengerMessageId } from "../ids.ts";
import type { TemplateUse } from "../message.ts";
import type { ChannelAdapter, ChannelSession, Templates } from "../port.ts";
import type { Template, TemplateDraft } from "../template.ts";
import { sendMessage } from "./sending.ts";

/** The messenger's reviewers of templates. */
export interface Reviewers {
  approve(code: string): Promise<void>;
  reject(code: string, why: NonNullable<Template["rejection"]>): Promise<void>;
}
interface Stage {
  session: ChannelSession;
  chat: ChatId;
  seen(): Promise<{ id: MessengerMessageId; text: string }[]>;
  reviewers?: Reviewers;
}
interface Kit {
  adapter: ChannelAdapter;
  settings: unknown;
  stage(): Promise<Stage>;
  /** Differences from DRAFT at this messenger. */
  draft?: Partial<TemplateDraft>;
}

const DRAFT: TemplateDraft = {
  name: "Order ready",
  language: "en",
  category: "utility",
  header: { type: "text", text: "The shop" },
  body: "Hello {{1}}, your order {{2}} is ready.",
  footer: "Rope and sails",
  buttons: [{ type: "plain", title: "Thank you" }],
  examples: { body: ["Ann", "7"] },
};
const fresh = () => new AbortController().signal;

/** Tests the promises of `Templates` against the messenger's own reviewers. */
export function describeTemplates(kit: Kit): void {
  const { adapter, settings } = kit;
  const draft = { ...DRAFT, ...kit.draft };
  const opened = async () => {
    const stage = await kit.stage();
    const { templates } = stage.session;
    if (!templates || !stage.reviewers) throw new Error("a stage with templates has reviewers");
    return { ...stage, templates, reviewers: stage.reviewers };
  };
  const listed = async (templates: Templates, code: string) =>
    (await templates.list(fresh())).find((each) => each.code === code);
  const send = ({ session, chat }: Stage, use: TemplateUse) => {
    const message = { chat, content: { type: "text" as const, text: "for readers" }, template: use };
    return sendMessage({ adapter, settings, session }, message, crypto.randomUUID(), fresh());
  };
  const used = (code: string): TemplateUse => ({
    ...{ code, category: draft.category, body: ["Ann", "7"] },
    header: { type: "text", values: [], files: [] },
    buttons: [{ type: "plain", title: "Thank you", values: [] }],
  });

  describe(`the templates of ${adapter.kind}`, () => {
    it("are listed as they were handed in, until the messenger has reviewed them", async () => {
      const { templates, reviewers } = await opened();
      const made = await templates.create(draft, fresh());
      expect(made.code.length).toBeLessThanOrEqual(512);
      expect(made).toMatchObject({ status: "pending" });
      const { language, body, footer, buttons, header } = draft;
      const same = { code: made.code, language, body, footer, buttons, header };
      expect(await listed(templates, made.code)).toMatchObject({ ...same, status: "pending" });
      await reviewers.approve(made.code);
      expect(await listed(templates, made.code)).toMatchObject({ ...same, status: "approved" });
    });

    it("say why they were rejected, and are reviewed again after an edit, under the same code", async () => {
      const { templates, reviewers } = await opened();
      const { code } = await templates.create(draft, fresh());
      await reviewers.reject(code, "invalid_format");
      expect(await listed(templates, code)).toMatchObject({ status: "rejected", rejection: "invalid_format" });
      const body = "Hello {{1}}, your order {{2}} has arrived.";
      expect(await templates.edit(code, { ...draft, body }, fresh())).toMatchObject({ code, body });
      expect(await listed(templates, code)).toMatchObject({ body, status: "pending" });
    });

    it("are gone once deleted, and one that is gone counts as deleted", async () => {
      const { templates } = await opened();
      const { code } = await templates.create(draft, fresh());
      await templates.delete(code, fresh());
      expect(await listed(templates, code)).toBeUndefined();
      await templates.delete(code, fresh());
    });

    it("carry the values of their variables to the customer", async () => {
      const stage = await opened();
      const { code } = await stage.templates.create(draft, fresh());
      await stage.reviewers.approve(code);
      const [part] = await send(stage, used(code));
      const seen = (await stage.seen()).find(({ id }) => id === part?.messengerMessageId);
      expect(seen?.text).toContain("Hello Ann, your order 7 is ready.");
    });

    it("are refused, in words, when broken, not approved, not known or short of values", async () => {
      const stage = await opened();
      const refused = async (act: Promise<unknown>) => {
        const error = await act.then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect(error).toBeInstanceOf(DeliveryError);
        expect(error).toMatchObject({ verdict: { type: "reject" }, message: expect.stringMatching(/\w{3}/) });
      };
      await refused(stage.templates.create({ ...draft, body: "Hello {{2}}", examples: { body: ["Ann"] } }, fresh()));
      const { code } = await stage.templates.create(draft, fresh());
      await refused(send(stage, used(code)));
      await stage.reviewers.approve(code);
      await refused(send(stage, { ...used(code), body: [] }));
      await refused(send(stage, used(`${code}-unknown`)));
    });

    it("give up when the signal ends the call", async () => {
      const { templates } = await opened();
      const { code } = await templates.create(draft, fresh());
      const aborted = AbortSignal.abort();
      await expect(templates.list(aborted)).rejects.toThrow();
      await expect(templates.create({ ...draft, name: "Another" }, aborted)).rejects.toThrow();
      await expect(templates.edit(code, draft, aborted)).rejects.toThrow();
      await expect(templates.delete(code, aborted)).rejects.toThrow();
      expect((await templates.list(fresh())).map((each) => each.code)).toEqual([code]);
    });
  });
}
