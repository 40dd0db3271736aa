/** Sample attachments: no camera or microphone needed. */

const RATE = 8_000;
const SECONDS = 2;

/** A short tone, WAV. */
export function tone(): Blob {
  const samples = RATE * SECONDS;
  const view = new DataView(new ArrayBuffer(44 + samples * 2));
  const text = (at: number, words: string) => {
    for (const [n, character] of [...words].entries()) view.setUint8(at + n, character.charCodeAt(0));
  };
  text(0, "RIFF");
  view.setUint32(4, 36 + samples * 2, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, RATE, true);
  view.setUint32(28, RATE * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, samples * 2, true);
  for (let n = 0; n < samples; n++) view.setInt16(44 + n * 2, Math.sin((n / RATE) * 2 * Math.PI * 440) * 8_000, true);
  return new Blob([view], { type: "audio/wav" });
}

export function drawn(emoji: string, type: "image/png" | "image/webp"): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 256;
  const context = canvas.getContext("2d");
  if (!context) return Promise.reject(new Error("This browser cannot draw"));
  context.fillStyle = type === "image/png" ? "#8fb8d0" : "#0000";
  context.fillRect(0, 0, 256, 256);
  context.font = "160px sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(emoji, 128, 140);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("This browser cannot draw"))), type),
  );
}
