/** A short chime, synthesized: a file would have to be allowed by the page's CSP. */
export function chime(): void {
  try {
    const audio = new AudioContext();
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    const now = audio.currentTime;
    tone.frequency.setValueAtTime(660, now);
    tone.frequency.setValueAtTime(880, now + 0.09);
    volume.gain.setValueAtTime(0.0001, now);
    volume.gain.exponentialRampToValueAtTime(0.12, now + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, now + 0.35);
    tone.connect(volume).connect(audio.destination);
    tone.start();
    tone.stop(now + 0.4);
    tone.onended = () => void audio.close();
  } catch {
    // No sound then.
  }
}
