/** Emoji that are offered to agents; Messenger takes any. */
export const REACTIONS = "❤️ 👍 👎 😆 😮 😢 😠 🙏 🔥 🎉 👏 ✅ 👀 😍 🤝".split(" ");
