export { predictedChanges } from './hardware/predicted-changes.ts'
export type { Host } from './node/host.ts'
export { createNodeAgent, type NodeAgentOptions } from './node-agent.ts'
