/**
 * Assigns pods to nodes with the filters and scores of kube-scheduler: resources, affinity, taints,
 * topology spread, host ports and volumes. {@link createScheduler} is the entry point. It preempts
 * no pods, and its messages are those of Kubernetes.
 */
export { createScheduler, type SchedulerOptions } from './scheduler.ts'
export { matchesNodeAffinity } from '#api/usage/node-affinity.ts'
export { untolerated } from '../taints/untolerated.ts'
