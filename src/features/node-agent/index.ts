export type { Host } from './host.ts'
export { createNodeAgent, type NodeAgentOptions } from './node-agent.ts'
