/**
 * Times of the components' leases. They tolerate a component that gets hardly any CPU time, as
 * while many emulated guests start on its node: with Kubernetes' 10 s it lost its lease, and each
 * restart took more of the little CPU time. 40 s without a leader pass before Kubernetes gives up a
 * node as well. Each renewal is a durable write, also when idle, so there are few.
 */
export const leaderTimes = { leaseDurationMs: 40_000, renewDeadlineMs: 30_000, retryMs: 5_000 } as const
