import { describeTrials } from "./trials.ts";

// They mostly wait: concurrent, they take as long as the longest.
describeTrials("waits", { concurrent: true });
