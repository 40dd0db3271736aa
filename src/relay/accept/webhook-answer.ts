import type { ErrorCode } from "../../domain/errors.ts";
import type { TemplateStatus } from "../../domain/template.ts";

/** The answer to the gateway; its body is one of the contract's webhook answers. */
export interface WebhookAnswer {
  status: 200 | 400 | 403 | 404 | 422 | 503;
  body:
    | { async: true }
    | Record<string, never>
    | { code: string; verification_status: TemplateStatus }
    | { error: { code: ErrorCode; message: string } };
}

export type Refuse = (status: 400 | 403 | 404 | 422 | 503, code: ErrorCode, message: string) => WebhookAnswer;
