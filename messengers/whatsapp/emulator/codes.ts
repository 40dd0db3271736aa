import { GraphRefusal, refusal, unknownFailure } from "gangway-meta/emulator/graph-error";

// Code, title and details: https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes

/** What a code means, in an answer's or a status' words. */
interface Words {
  title: string;
  details: string;
  /** Of an answer. */
  status?: number;
  isTransient?: true;
}

const WORDS: Record<number, Words> = {
  1: { title: "API Unknown", details: "An unknown error occurred.", status: 500, isTransient: true },
  2: {
    title: "API Service",
    details: "Temporary due to downtime or due to being overloaded.",
    status: 503,
    isTransient: true,
  },
  3: { title: "API Method", details: "Capability or permissions issue.", status: 500 },
  4: {
    title: "Application request limit reached",
    details: "The app has reached its API call rate limit.",
    isTransient: true,
  },
  10: { title: "Permission Denied", details: "Permission is either not granted or has been removed.", status: 403 },
  33: { title: "Parameter value is not valid", details: "The business phone number has been deleted." },
  100: {
    title: "Invalid parameter",
    details: "The request included one or more unsupported or misspelled parameters.",
  },
  368: {
    title: "Temporarily blocked for policies violations",
    details:
      "The WhatsApp Business Account associated with the app has been restricted or disabled for violating a platform policy.",
    status: 403,
  },
  470: {
    title: "Re-engagement message",
    details:
      "Message failed to send because more than 24 hours have passed since the customer last replied to this number.",
  },
  80007: { title: "Rate limit issues", details: "The WhatsApp Business Account has reached its rate limit." },
  130429: {
    title: "Rate limit hit",
    details:
      "Message failed to send because there were too many messages sent from this phone number in a short period of time.",
  },
  130472: {
    title: "User's number is part of an experiment",
    details: "Failed to send message because this user's phone number is part of an experiment.",
  },
  130497: {
    title: "Business account is restricted from messaging users in this country",
    details: "The WhatsApp Business Account is restricted from messaging to users in certain countries.",
  },
  131000: { title: "Something went wrong", details: "Message failed to send due to an unknown error.", status: 500 },
  131005: { title: "Access denied", details: "Permission is either not granted or has been removed.", status: 403 },
  131008: { title: "Required parameter is missing", details: "The request is missing a required parameter." },
  131009: { title: "Parameter value is not valid", details: "One or more parameter values are invalid." },
  131016: { title: "Service unavailable", details: "A service is temporarily unavailable.", status: 500 },
  131021: { title: "Recipient cannot be sender", details: "Sender and recipient phone number is the same." },
  131026: { title: "Message undeliverable", details: "Message Undeliverable." },
  131030: {
    title: "Recipient phone number not in allowed list",
    details: "Recipient phone number not in allowed list: Add recipient phone number to recipient list and try again.",
  },
  131031: {
    title: "Account has been locked",
    details:
      "The WhatsApp Business Account associated with the app has been restricted or disabled for violating a platform policy, or we were unable to verify data included in the request.",
    status: 403,
  },
  131037: {
    title: "Business phone number display name not approved",
    details: "The display name of this business phone number was not approved.",
  },
  131042: {
    title: "Business eligibility payment issue",
    details: "Message failed to send because there were one or more errors related to your payment method.",
  },
  131045: {
    title: "Incorrect certificate",
    details: "Message failed to send due to a phone number registration error.",
    status: 500,
  },
  131047: {
    title: "Re-engagement message",
    details:
      "Message failed to send because more than 24 hours have passed since the customer last replied to this number.",
  },
  131048: {
    title: "Spam rate limit hit",
    details:
      "Message failed to send because there are restrictions on how many messages can be sent from this phone number. This may be because too many previous messages were blocked or flagged as spam.",
  },
  131049: {
    title: "This message was not delivered to maintain healthy ecosystem engagement.",
    details: "In order to maintain a healthy ecosystem engagement, the message failed to be delivered.",
  },
  131050: {
    title:
      "Unable to deliver the message. This recipient has chosen to stop receiving marketing messages on WhatsApp from your business",
    details: "User has stopped receiving marketing messages from this business.",
  },
  131051: { title: "Unsupported message type", details: "Unsupported message type." },
  131052: { title: "Media download error", details: "Unable to download the media sent by the user." },
  131053: { title: "Media upload error", details: "Unable to upload the media used in the message." },
  131056: {
    title: "(Business Account, Consumer Account) pair rate limit hit",
    details:
      "Message failed to send because there were too many messages sent from this phone number to the same phone number in a short period of time.",
  },
  131057: { title: "Account in maintenance mode", details: "Business Account is in maintenance mode.", status: 500 },
  131062: {
    title: "Business-scoped User ID recipients are not supported for this message",
    details: "This type of message cannot be sent to a business-scoped user ID.",
  },
  132000: {
    title: "Number of parameters does not match the expected number of params",
    details:
      "The number of variable parameter values included in the request did not match the number of variable parameters defined in the template.",
  },
  132001: {
    title: "Template name does not exist in the translation",
    details: "The template does not exist in the specified language or the template has not been approved.",
    status: 404,
  },
  132005: { title: "Translated text too long", details: "Translated text is too long." },
  132007: {
    title: "Template format character policy violated",
    details: "Template content violates a WhatsApp policy.",
  },
  132012: {
    title: "Parameter format does not match format in the created template",
    details: "Variable parameter values formatted incorrectly.",
  },
  132015: {
    title: "Template is paused",
    details: "Template is paused due to low quality so it cannot be sent in a template message.",
  },
  132016: {
    title: "Template is disabled",
    details: "Template has been paused too many times due to low quality and is now permanently disabled.",
  },
  132018: { title: "Template parameter format is invalid", details: "One of the parameters is invalid." },
  133010: { title: "Account not registered", details: "The account is not registered." },
  135000: {
    title: "Generic user error",
    details: "Message failed to send because of an unknown error with your request parameters.",
  },
};

/** A refused call. */
export function waRefusal(code: number, details?: string): GraphRefusal {
  const words = WORDS[code];
  if (!words) return code === 190 ? expired() : unknownFailure();
  const { title, status, isTransient } = words;
  return refusal(code, title, {
    ...(status !== undefined && { status }),
    ...(isTransient && { is_transient: true }),
    error_data: { messaging_product: "whatsapp", details: details ?? words.details },
  });
}

const expired = () =>
  new GraphRefusal(401, {
    message: "Error validating access token: Session has expired",
    type: "OAuthException",
    code: 190,
    error_subcode: 463,
  });

/** Graph's own refusal of a parameter. */
export const badParam = (text: string) => refusal(100, text);
export const invalid = (details: string) => waRefusal(100, details);
export const notValid = (details: string) => waRefusal(131009, details);

/** The `errors` of a failed status. */
export interface StatusError {
  code: number;
  title: string;
  message: string;
  error_data: { details: string };
  href: string;
}
export function statusError(code: number, details?: string): StatusError {
  const { title, details: usual } = WORDS[code] ?? { title: "Something went wrong", details: "Unknown error" };
  return {
    code,
    title,
    message: title,
    error_data: { details: details ?? usual },
    href: "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/",
  };
}
