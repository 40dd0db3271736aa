/** Emoji that agents are offered; WhatsApp takes any. */
export const REACTIONS = "👍 ❤️ 😂 😮 😢 🙏 🎉 🔥 👏 😍 🤔 👌 ✅ 💯 🙌 😊 😅 👎".split(" ");
