import { AT, about, change, echo, file, MERLE, message, ROBIN, SHOP, status } from "./wire.ts";

type Expected = { type: "message" | "edited" | "deleted" | "read" | "failed" | "reaction" | "note" } & Record<
  string,
  unknown
>;
interface WhatsAppSample {
  body: object;
  events: Expected[];
}

const HOUR_MS = 3_600_000;
const said = (text: string, more: object = {}): Expected[] => [
  { type: "message", originator: "customer", content: { type: "text", text }, ...more },
];
const part = (id: string, name: string, mediaType: string) => ({ file: { at: "messenger", ref: id }, name, mediaType });
const customer = (more: object) => [{ type: "message" as const, customer: more }];

const texts: Record<string, WhatsAppSample> = {
  "a text, in the chat of the user id, with the number as another id": {
    body: message({ type: "text", text: { body: "hello" } }),
    events: [
      {
        type: "message",
        key: "wamid.IN1",
        chat: ROBIN.userId,
        messengerMessageId: "wamid.IN1",
        at: AT * 1000,
        originator: "customer",
        customer: {
          id: ROBIN.userId,
          otherIds: [ROBIN.phone],
          nickname: "Robin Mar",
          phone: "+34600111222",
          profileUrl: "https://wa.me/34600111222",
        },
        content: { type: "text", text: "hello" },
        replyUntil: AT * 1000 + 24 * HOUR_MS,
      },
    ],
  },
  "a text with emoji, an accent and other scripts": {
    body: message({ type: "text", text: { body: "¿Envían a Perú? 🚚👨‍👩‍👧 Привет" } }),
    events: said("¿Envían a Perú? 🚚👨‍👩‍👧 Привет"),
  },
  "a text of 4,096 characters": {
    body: message({ type: "text", text: { body: "x".repeat(4_096) } }),
    events: said("x".repeat(4_096)),
  },
  "a customer without a number": {
    body: about({
      contacts: [{ profile: { name: "Merle", username: "merle.sur" }, user_id: MERLE.userId }],
      messages: [
        { from_user_id: MERLE.userId, id: "wamid.M1", timestamp: String(AT), type: "text", text: { body: "hi" } },
      ],
    }),
    events: [
      {
        type: "message",
        chat: MERLE.userId,
        customer: { id: MERLE.userId, nickname: "Merle" },
        content: { type: "text", text: "hi" },
      },
    ],
  },
  "a customer who has a number only": {
    body: about({
      contacts: [{ profile: { name: "Robin" }, wa_id: ROBIN.phone }],
      messages: [{ from: ROBIN.phone, id: "wamid.P1", timestamp: String(AT), type: "text", text: { body: "hi" } }],
    }),
    events: [{ type: "message", chat: ROBIN.phone, customer: { id: ROBIN.phone, phone: "+34600111222" } }],
  },
  "a customer who is named in the contacts alone": {
    body: about({
      contacts: [{ profile: { name: "Merle" }, user_id: MERLE.userId }],
      messages: [{ id: "wamid.C1", timestamp: String(AT), type: "text", text: { body: "hi" } }],
    }),
    events: [{ type: "message", chat: MERLE.userId, customer: { nickname: "Merle" } }],
  },
  "a customer with a user name and no other": {
    body: about({
      contacts: [{ profile: { username: "merle.sur" }, user_id: MERLE.userId }],
      messages: [
        { from_user_id: MERLE.userId, id: "wamid.U1", timestamp: String(AT), type: "text", text: { body: "hi" } },
      ],
    }),
    events: customer({ nickname: "@merle.sur" }),
  },
  "a customer whose name nobody sees": {
    body: about({
      contacts: [{ profile: { name: "\u202e\u200b" }, wa_id: ROBIN.phone }],
      messages: [{ from: ROBIN.phone, id: "wamid.N1", timestamp: String(AT), type: "text", text: { body: "hi" } }],
    }),
    events: customer({ nickname: "+34600111222" }),
  },
  "a customer of whom only the user id is known": {
    body: about({
      messages: [
        { from_user_id: MERLE.userId, id: "wamid.O1", timestamp: String(AT), type: "text", text: { body: "hi" } },
      ],
    }),
    events: customer({ nickname: "WhatsApp 1177" }),
  },
  "a customer with the user id of a parent company": {
    body: about({
      contacts: [{ user_id: "BR.ENT.77120093", profile: { name: "Duo" } }],
      messages: [
        { from_user_id: "BR.ENT.77120093", id: "wamid.E1", timestamp: String(AT), type: "text", text: { body: "oi" } },
      ],
    }),
    events: [{ type: "message", chat: "BR.ENT.77120093" }],
  },
  "a time in milliseconds": {
    body: message({ type: "text", text: { body: "hi" } }, { timestamp: String(AT * 1000) }),
    events: said("hi", { at: AT * 1000 }),
  },
  "nulls, which count as absent, and fields of tomorrow": {
    body: message({ type: "text", text: { body: "hi" }, context: null, referral: null, novelty: { a: 1 } }),
    events: said("hi"),
  },
};

const files: Record<string, WhatsAppSample> = {
  "a picture": {
    body: message({ type: "image", image: file("1", "image/jpeg") }),
    events: [{ type: "message", content: { type: "image", files: [part("1", "Photo.jpg", "image/jpeg")] } }],
  },
  "a picture with a caption": {
    body: message({ type: "image", image: file("2", "image/png", { caption: "this one?" }) }),
    events: [
      { type: "message", content: { type: "image", files: [part("2", "Photo.png", "image/png")], note: "this one?" } },
    ],
  },
  "a picture that brings its own address": {
    body: message({
      type: "image",
      image: file("3", "image/jpeg", { url: "https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=3" }),
    }),
    events: [{ type: "message", content: { type: "image", files: [part("3", "Photo.jpg", "image/jpeg")] } }],
  },
  "a video": {
    body: message({ type: "video", video: file("4", "video/mp4", { caption: "look" }) }),
    events: [
      {
        type: "message",
        content: { type: "file", files: [part("4", "Video.mp4", "video/mp4")], note: "look" },
      },
    ],
  },
  "a voice message": {
    body: message({ type: "audio", audio: file("5", "audio/ogg; codecs=opus", { voice: true }) }),
    events: [
      {
        type: "message",
        content: { type: "audio", files: [part("5", "Voice message.ogg", "audio/ogg; codecs=opus")] },
      },
    ],
  },
  "a piece of music": {
    body: message({ type: "audio", audio: file("6", "audio/mpeg", { voice: false }) }),
    events: [{ type: "message", content: { type: "audio", files: [part("6", "Audio.mp3", "audio/mpeg")] } }],
  },
  "a document": {
    body: message({
      type: "document",
      document: file("7", "application/pdf", { filename: "Pedido nº 7.pdf", caption: "the order" }),
    }),
    events: [
      {
        type: "message",
        content: { type: "file", files: [part("7", "Pedido nº 7.pdf", "application/pdf")], note: "the order" },
      },
    ],
  },
  "a document without a name": {
    body: message({ type: "document", document: file("8", "application/zip") }),
    events: [{ type: "message", content: { type: "file", files: [part("8", "File", "application/zip")] } }],
  },
  "a sticker": {
    body: message({ type: "sticker", sticker: file("9", "image/webp", { animated: false }) }),
    events: [{ type: "message", content: { type: "image", files: [part("9", "Sticker.webp", "image/webp")] } }],
  },
  "an animated sticker": {
    body: message({ type: "sticker", sticker: file("10", "image/webp", { animated: true }) }),
    events: [{ type: "message", content: { type: "image", files: [part("10", "Sticker.webp", "image/webp")] } }],
  },
  "a picture without its file": {
    body: message({ type: "image" }),
    events: said("[Unsupported message: image]"),
  },
};

const answers: Record<string, WhatsAppSample> = {
  "an answer by a button of ours": {
    body: message({
      type: "interactive",
      context: { from: "15550783881", id: "wamid.OUT7" },
      interactive: {
        type: "button_reply",
        button_reply: { id: "0:Blue, as on the picture above", title: "Blue, as on the pic…" },
      },
    }),
    events: said("Blue, as on the picture above", { quote: "wamid.OUT7" }),
  },
  "an answer by somebody else's button": {
    body: message({
      type: "interactive",
      interactive: { type: "button_reply", button_reply: { id: "yes-payload", title: "Yes" } },
    }),
    events: said("Yes"),
  },
  "an answer by a list": {
    body: message({
      type: "interactive",
      context: { from: "15550783881", id: "wamid.OUT8" },
      interactive: {
        type: "list_reply",
        list_reply: { id: "priority_express", title: "Priority Mail", description: "Next day" },
      },
    }),
    events: said("Priority Mail", { quote: "wamid.OUT8" }),
  },
  "a completed form": {
    body: message({
      type: "interactive",
      interactive: {
        type: "nfm_reply",
        nfm_reply: { name: "flow", body: "Sent", response_json: '{"flow_token":"t","size":"42","box":true}' },
      },
    }),
    events: said("[Completed form: flow]\n– size: 42\n– box: true"),
  },
  "a form whose answers are no JSON": {
    body: message({ type: "interactive", interactive: { type: "nfm_reply", nfm_reply: { response_json: "{" } } }),
    events: said("[Completed form: …]"),
  },
  "an answer that WhatsApp did not pass on": {
    body: about({
      contacts: [{ profile: { name: "Robin" }, wa_id: ROBIN.phone }],
      messages: [{ from: ROBIN.phone, id: "wamid.I9", timestamp: String(AT), type: "interactive" }],
      errors: [{ code: 131_000, title: "Something went wrong" }],
    }),
    events: said("[Answer to a button that WhatsApp did not pass on]"),
  },
  "an answer by a template's button": {
    body: message({
      type: "button",
      context: { from: "15550783881", id: "wamid.OUT9" },
      button: { payload: "stop", text: "No more offers" },
    }),
    events: said("No more offers", { quote: "wamid.OUT9" }),
  },
  "an answer by a template's button without its context": {
    body: message({ type: "button", button: { text: "Unsubscribe" } }),
    events: said("Unsubscribe"),
  },
};

const contexts: Record<string, WhatsAppSample> = {
  "a reply": {
    body: message({ type: "text", text: { body: "this" }, context: { from: "15550783881", id: "wamid.OUT1" } }),
    events: said("this", { quote: "wamid.OUT1" }),
  },
  "a forwarded text": {
    body: message({ type: "text", text: { body: "news" }, context: { forwarded: true } }),
    events: said("[Forwarded]\nnews"),
  },
  "a text that has been forwarded many times": {
    body: message({ type: "text", text: { body: "news" }, context: { forwarded: true, frequently_forwarded: true } }),
    events: said("[Forwarded many times]\nnews"),
  },
  "a forwarded picture": {
    body: message({ type: "image", image: file("11", "image/jpeg"), context: { forwarded: true } }),
    events: [
      {
        type: "message",
        content: { type: "image", files: [part("11", "Photo.jpg", "image/jpeg")], note: "[Forwarded]" },
      },
    ],
  },
  "a question about a product": {
    body: message({
      type: "text",
      text: { body: "in blue?" },
      context: {
        from: "15550783881",
        id: "wamid.OUT3",
        referred_product: { catalog_id: "194836987003835", product_retailer_id: "di9ozbzfi4" },
      },
    }),
    events: said("[About the product di9ozbzfi4]\nin blue?"),
  },
  "a click on an ad": {
    body: message({
      type: "text",
      text: { body: "more, please" },
      referral: {
        source_url: "https://fb.me/3cr4Wqqkv",
        source_id: "120226305854810726",
        source_type: "ad",
        headline: "Ropes for every boat",
        body: "Now 20 % off",
        ctwa_clid: "Aff-n8ZTODiE79d22KtAwQKj9e_mIEOOj27vDVwFjN80dp4",
      },
    }),
    events: said("[From an ad: Ropes for every boat, https://fb.me/3cr4Wqqkv]\nmore, please", {
      replyUntil: AT * 1000 + 72 * HOUR_MS,
      customer: {
        utm: {
          source: "facebook",
          medium: "ad",
          campaign: "120226305854810726",
          content: "Ropes for every boat",
          term: "Aff-n8ZTODiE79d22KtAwQKj9e_mIEOOj27vDVwFjN80dp4",
        },
      },
    }),
  },
  "a click on a post at Instagram": {
    body: message({
      type: "text",
      text: { body: "hi" },
      referral: { source_url: "https://www.instagram.com/p/Cx1", source_id: "7", source_type: "post" },
    }),
    events: said("[From a post: https://www.instagram.com/p/Cx1]\nhi", {
      customer: { utm: { source: "instagram", medium: "post", campaign: "7" } },
    }),
  },
};

const places: Record<string, WhatsAppSample> = {
  "a place": {
    body: message({
      type: "location",
      location: { latitude: 40.4168, longitude: -3.7038, name: "Puerta del Sol", address: "Madrid" },
    }),
    events: said("📍 Puerta del Sol\nMadrid\nhttps://maps.google.com/?q=40.4168,-3.7038"),
  },
  "the customer's own place": {
    body: message({ type: "location", location: { latitude: 1.5, longitude: 2 } }),
    events: said("📍 Location\nhttps://maps.google.com/?q=1.5,2"),
  },
  "two contacts": {
    body: message({
      type: "contacts",
      contacts: [
        {
          name: { formatted_name: "Merle Sur", first_name: "Merle" },
          org: { company: "Harbour Ltd" },
          phones: [{ phone: "+52 55 1234 5678", wa_id: "525512345678", type: "CELL" }],
          emails: [{ email: "merle@harbour.example" }],
        },
        { phones: [{ wa_id: "34600333444" }] },
      ],
    }),
    events: said("Contact: Merle Sur\nHarbour Ltd\n+52 55 1234 5678\nmerle@harbour.example\n\nContact: +34600333444"),
  },
  "an order from the catalogue": {
    body: message({
      type: "order",
      order: {
        catalog_id: "194836987003835",
        text: "as a gift",
        product_items: [
          { product_retailer_id: "rope-8", quantity: 2, item_price: 7.9, currency: "EUR" },
          { product_retailer_id: 4711, quantity: "1", item_price: "30", currency: "EUR" },
        ],
      },
    }),
    events: said(
      "Order from the catalogue:\n– rope-8: 2 × 7.90 EUR = 15.80 EUR\n– 4711: 1 × 30.00 EUR = 30.00 EUR\nTotal: 45.80 EUR\nas a gift",
    ),
  },
};

const odd: Record<string, WhatsAppSample> = {
  "what WhatsApp does not pass on": {
    body: message(
      { type: "unsupported", unsupported: { type: "poll" } },
      {
        errors: [
          {
            code: 131_051,
            title: "Message type unknown",
            error_data: { details: "Message type is currently not supported." },
          },
        ],
      },
    ),
    events: said("[Unsupported message: Message type is currently not supported.]"),
  },
  "what WhatsApp calls unknown, without a reason": {
    body: message({ type: "unknown" }),
    events: said("[Unsupported message: WhatsApp does not pass it on]"),
  },
  "a kind of tomorrow": {
    body: message({ type: "hologram", hologram: { id: "1" } }),
    events: said("[Unsupported message: hologram]"),
  },
  "a known kind of another shape": {
    body: message({ type: "location", location: { latitude: "north" } }),
    events: said("[Unsupported message: location]"),
  },
  "a reaction": {
    body: message({ type: "reaction", reaction: { message_id: "wamid.OUT1", emoji: "👍" } }),
    events: [
      { type: "reaction", key: "wamid.IN1", chat: ROBIN.userId, messengerMessageId: "wamid.OUT1", reaction: "👍" },
    ],
  },
  "a reaction taken back, without emoji": {
    body: message({ type: "reaction", reaction: { message_id: "wamid.OUT1" } }),
    events: [{ type: "reaction", messengerMessageId: "wamid.OUT1", reaction: null }],
  },
  "a reaction taken back, with an empty emoji": {
    body: message({ type: "reaction", reaction: { message_id: "wamid.OUT1", emoji: "" } }),
    events: [{ type: "reaction", messengerMessageId: "wamid.OUT1", reaction: null }],
  },
  "an edit of a text": {
    body: message({
      type: "edit",
      edit: { original_message_id: "wamid.IN0", message: { type: "text", text: { body: "in blue" } } },
    }),
    events: [
      {
        type: "edited",
        key: "wamid.IN1",
        messengerMessageId: "wamid.IN0",
        text: "in blue",
        anew: { messengerMessageId: "wamid.IN1", originator: "customer", content: { type: "text", text: "in blue" } },
      },
    ],
  },
  "an edit of a caption": {
    body: message({
      type: "edit",
      edit: {
        original_message_id: "wamid.IN0",
        message: { type: "image", image: file("12", "image/jpeg", { caption: "better" }) },
      },
    }),
    events: [{ type: "edited", text: "better", anew: { content: { type: "image", note: "better" } } }],
  },
  "a message that is taken back": {
    body: message({ type: "revoke", revoke: { original_message_id: "wamid.IN0" } }),
    events: [
      {
        type: "deleted",
        key: "wamid.IN1",
        messengerMessageId: "wamid.IN0",
        anew: {
          messengerMessageId: "wamid.IN1",
          originator: "customer",
          content: { type: "text", text: "[Deleted a message]" },
        },
      },
    ],
  },
  "a voice message as older versions name it": {
    body: message({ type: "voice", voice: file("14", "audio/ogg; codecs=opus") }),
    events: [
      {
        type: "message",
        content: { type: "audio", files: [part("14", "Voice message.ogg", "audio/ogg; codecs=opus")] },
      },
    ],
  },
  "a yes to calls": {
    body: message({
      type: "interactive",
      interactive: {
        type: "call_permission_reply",
        call_permission_reply: { response: "accept", response_source: "user_action", expiration_timestamp: AT + 600 },
      },
    }),
    events: said("[Allows calls]"),
  },
  "a no to calls": {
    body: message({
      type: "interactive",
      interactive: { type: "call_permission_reply", call_permission_reply: { response: "reject" } },
    }),
    events: said("[Does not allow calls]"),
  },
  "a call that nobody took": {
    body: about(
      {
        contacts: [{ profile: { name: "Robin Mar" }, wa_id: ROBIN.phone, user_id: ROBIN.userId }],
        calls: [
          {
            id: "wacid.1",
            from: ROBIN.phone,
            from_user_id: ROBIN.userId,
            to: SHOP,
            event: "terminate",
            direction: "USER_INITIATED",
            status: "FAILED",
            timestamp: String(AT),
          },
        ],
      },
      "calls",
    ),
    events: [
      {
        type: "message",
        key: "call:wacid.1",
        chat: ROBIN.userId,
        messengerMessageId: "wacid.1",
        at: AT * 1000,
        originator: "customer",
        content: { type: "text", text: `[Missed call. Call back: +${ROBIN.phone}]` },
      },
    ],
  },
  "a number that the shop has asked for": {
    body: message(
      {
        type: "contacts",
        contacts: [
          {
            name: { formatted_name: "Merle" },
            phones: [{ phone: "+52 55 1234 5678", wa_id: "525512345678" }],
            origin: "contact_request",
          },
        ],
      },
      { from: undefined, from_user_id: MERLE.userId },
    ),
    events: [{ type: "message", chat: MERLE.userId, customer: { id: MERLE.userId, phone: "+525512345678" } }],
  },
  "a user id where the number was": {
    body: about({
      contacts: [{ profile: { name: "Merle" }, wa_id: MERLE.userId }],
      messages: [{ from: MERLE.userId, id: "wamid.IN1", timestamp: String(AT), type: "text", text: { body: "hello" } }],
    }),
    events: [{ type: "message", chat: MERLE.userId, customer: { id: MERLE.userId, nickname: "Merle" } }],
  },
  "a text in a group": {
    body: message({ type: "text", text: { body: "for us all" } }, { group_id: "Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAz" }),
    events: [
      {
        type: "message",
        chat: "Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAz",
        customer: { id: "Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAz", nickname: "WhatsApp group MjAz" },
        content: { type: "text", text: "Robin Mar: for us all" },
      },
    ],
  },
};

const staff: Record<string, WhatsAppSample> = {
  "a text that staff wrote in the app": {
    body: echo({ type: "text", text: { body: "on its way" } }),
    events: [
      {
        type: "message",
        chat: ROBIN.phone,
        originator: "channel",
        customer: { id: ROBIN.phone },
        content: { type: "text", text: "on its way" },
      },
    ],
  },
  "a picture that staff sent to a customer without a number": {
    body: about(
      {
        message_echoes: [
          {
            from: "15550783881",
            to_user_id: MERLE.userId,
            id: "wamid.ECHO2",
            timestamp: String(AT),
            type: "image",
            image: file("13", "image/jpeg"),
          },
        ],
      },
      "smb_message_echoes",
    ),
    events: [
      {
        type: "message",
        chat: MERLE.userId,
        originator: "channel",
        content: { type: "image", files: [part("13", "Photo.jpg", "image/jpeg")] },
      },
    ],
  },
  "an edit by staff": {
    body: echo({
      type: "edit",
      edit: { original_message_id: "wamid.ECHO0", message: { type: "text", text: { body: "tomorrow" } } },
    }),
    events: [{ type: "edited", messengerMessageId: "wamid.ECHO0", text: "tomorrow", anew: { originator: "channel" } }],
  },
  "a message that staff took back": {
    body: echo({ type: "revoke", revoke: { original_message_id: "wamid.ECHO0" } }),
    events: [{ type: "deleted", messengerMessageId: "wamid.ECHO0" }],
  },
};

const fail = (code: number, title: string, details?: string) =>
  status("failed", { errors: [{ code, title, ...(details && { error_data: { details } }) }] });
const failed = (code: string, externalCode: number, message: string): Expected[] => [
  { type: "failed", messengerMessageId: "wamid.OUT1", error: { code, externalCode: String(externalCode), message } },
];

const statuses: Record<string, WhatsAppSample> = {
  "that the customer has read a message": {
    body: status("read"),
    events: [
      { type: "read", key: "read:wamid.OUT1", chat: ROBIN.phone, messengerMessageId: "wamid.OUT1", at: AT * 1000 },
    ],
  },
  "that the customer has played a voice message": {
    body: status("played"),
    events: [{ type: "read", key: "read:wamid.OUT1" }],
  },
  "that a customer without a number has read a message": {
    body: about({
      statuses: [{ id: "wamid.OUT2", status: "read", timestamp: String(AT), recipient_user_id: MERLE.userId }],
    }),
    events: [{ type: "read", chat: MERLE.userId, messengerMessageId: "wamid.OUT2" }],
  },
  "a failure after the window": {
    body: fail(131_047, "Re-engagement message", "More than 24 hours have passed since the recipient last replied."),
    events: failed(
      "reply_timed_out",
      131_047,
      "the customer has not written for 24 hours: only a template can be sent now. WhatsApp: More than 24 hours have passed since the recipient last replied. (131047)",
    ),
  },
  "a failure since there is no such customer": {
    body: fail(131_026, "Message undeliverable"),
    events: failed(
      "customer_not_exists",
      131_026,
      wordsFor("this customer has no WhatsApp, or cannot receive this message", "Message undeliverable", 131_026),
    ),
  },
  "a failure since the customer wants no marketing": {
    body: fail(131_050, "User has stopped marketing messages"),
    events: failed(
      "access_restricted",
      131_050,
      wordsFor("the customer has stopped marketing messages", "User has stopped marketing messages", 131_050),
    ),
  },
  "a failure since Meta limits what is ignored": {
    body: fail(131_049, "Not delivered to maintain healthy ecosystem engagement"),
    events: failed(
      "spam_suspicion",
      131_049,
      wordsFor(
        "Meta limits messages that customers report or ignore",
        "Not delivered to maintain healthy ecosystem engagement",
        131_049,
      ),
    ),
  },
  "a failure of a file": {
    body: fail(131_053, "Media upload error"),
    events: failed(
      "general",
      131_053,
      wordsFor("WhatsApp does not accept this file or kind of message", "Media upload error", 131_053),
    ),
  },
  "a failure that was weather, and is final now": {
    body: fail(131_000, "Something went wrong"),
    events: failed("general", 131_000, "WhatsApp: Something went wrong (131000)"),
  },
};

function wordsFor(meaning: string, said: string, code: number): string {
  return `${meaning}. WhatsApp: ${said} (${code})`;
}

const several: Record<string, WhatsAppSample> = {
  "two messages and a status in one change": {
    body: about({
      contacts: [
        { profile: { name: "Robin" }, wa_id: ROBIN.phone, user_id: ROBIN.userId },
        { profile: { name: "Merle" }, user_id: MERLE.userId },
      ],
      messages: [
        {
          from: ROBIN.phone,
          from_user_id: ROBIN.userId,
          id: "wamid.A",
          timestamp: String(AT),
          type: "text",
          text: { body: "a" },
        },
        { from_user_id: MERLE.userId, id: "wamid.B", timestamp: String(AT), type: "text", text: { body: "b" } },
      ],
      statuses: [{ id: "wamid.OUT1", status: "read", timestamp: String(AT), recipient_id: ROBIN.phone }],
    }),
    events: [
      { type: "message", chat: ROBIN.userId, customer: { nickname: "Robin" } },
      { type: "message", chat: MERLE.userId, customer: { nickname: "Merle" } },
      // Known by the message before it.
      { type: "read", chat: ROBIN.userId },
    ],
  },
  "a message beside one that cannot be read": {
    body: about({
      messages: [
        { id: 7, type: null },
        { from: ROBIN.phone, id: "wamid.A", timestamp: String(AT), type: "text", text: { body: "a" } },
      ],
    }),
    events: said("a"),
  },
  "several entries": {
    body: {
      object: "whatsapp_business_account",
      entry: [
        ...message({ type: "text", text: { body: "one" } }).entry,
        ...message({ type: "text", text: { body: "two" } }, { id: "wamid.IN2" }).entry,
      ],
    },
    events: [...said("one"), ...said("two", { key: "wamid.IN2" })],
  },
  "a message, and changes that tell agents nothing": {
    body: {
      object: "whatsapp_business_account",
      entry: [
        ...change("account_update", { event: "VERIFIED_ACCOUNT", phone_number: "15550783881" }).entry,
        ...change("phone_number_quality_update", {
          display_phone_number: "15550783881",
          event: "FLAGGED",
          current_limit: "TIER_10K",
        }).entry,
        ...message({ type: "text", text: { body: "hi" } }).entry,
        ...message({ type: "request_welcome" }, { id: "wamid.W" }).entry,
        ...status("delivered").entry,
      ],
    },
    events: said("hi"),
  },
};

const known = message({ type: "text", text: { body: "hi" } });
const changes: Record<string, WhatsAppSample> = {
  "a new number, whose chat stays the same": {
    body: {
      object: "whatsapp_business_account",
      entry: [
        ...known.entry,
        ...about({
          messages: [
            {
              from: ROBIN.phone,
              id: "wamid.S1",
              timestamp: String(AT),
              type: "system",
              system: {
                body: "Robin changed from 34600111222 to 34611222333",
                wa_id: "34611222333",
                type: "user_changed_number",
              },
            },
          ],
        }).entry,
        ...about({
          messages: [
            {
              from: "34611222333",
              id: "wamid.S2",
              timestamp: String(AT + 1),
              type: "text",
              text: { body: "it is me" },
            },
          ],
        }).entry,
      ],
    },
    events: [
      ...said("hi"),
      {
        type: "note",
        key: "wamid.S1",
        chat: ROBIN.userId,
        text: "The customer has changed their number: +34600111222 → +34611222333",
      },
      ...said("it is me", {
        chat: ROBIN.userId,
        customer: { id: ROBIN.userId, otherIds: ["34611222333", ROBIN.phone], phone: "+34611222333" },
      }),
    ],
  },
  "a new user id, told twice": {
    body: {
      object: "whatsapp_business_account",
      entry: [
        ...known.entry,
        ...about(
          {
            user_id_update: [
              {
                wa_id: ROBIN.phone,
                user_id: { previous: ROBIN.userId, current: "ES.90017788123" },
                timestamp: AT,
              },
            ],
          },
          "user_id_update",
        ).entry,
        ...about({
          messages: [
            {
              from_user_id: "ES.90017788123",
              id: "wamid.S3",
              timestamp: String(AT),
              type: "text",
              text: { body: "still me" },
            },
          ],
        }).entry,
      ],
    },
    events: [
      ...said("hi"),
      { type: "note", key: `user-id:${ROBIN.userId}:ES.90017788123`, chat: ROBIN.userId },
      ...said("still me", {
        chat: ROBIN.userId,
        customer: { id: "ES.90017788123", otherIds: [ROBIN.phone, ROBIN.userId] },
      }),
    ],
  },
  "that a customer wants no marketing, and wants it again": {
    body: {
      object: "whatsapp_business_account",
      entry: [
        ...known.entry,
        ...["stop", "stop", "resume"].flatMap(
          (value, n) =>
            about(
              {
                user_preferences: [
                  {
                    wa_id: ROBIN.phone,
                    user_id: ROBIN.userId,
                    detail: "User requested this",
                    category: "marketing_messages",
                    value,
                    timestamp: AT + n,
                  },
                ],
              },
              "user_preferences",
            ).entry,
        ),
      ],
    },
    events: [
      ...said("hi"),
      {
        type: "note",
        chat: ROBIN.userId,
        text: "The customer no longer wants marketing messages: WhatsApp will not deliver them.",
      },
      { type: "note", chat: ROBIN.userId, text: "The customer wants marketing messages again." },
    ],
  },
  "a number that has passed to somebody else, who has a chat of their own": {
    body: {
      object: "whatsapp_business_account",
      entry: [
        ...known.entry,
        ...about({
          messages: [
            {
              from: ROBIN.phone,
              from_user_id: "ES.55550000111",
              id: "wamid.S4",
              timestamp: String(AT),
              type: "text",
              text: { body: "who?" },
            },
          ],
        }).entry,
      ],
    },
    events: [...said("hi"), ...said("who?", { chat: "ES.55550000111" })],
  },
};

/** Webhooks as Meta sends them, and the events that each brings. */
export const samples: Record<string, WhatsAppSample> = {
  ...texts,
  ...files,
  ...answers,
  ...contexts,
  ...places,
  ...odd,
  ...staff,
  ...statuses,
  ...several,
  ...changes,
};
