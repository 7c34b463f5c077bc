export { agentWord, heardOf, type AgentWord } from './agent-heartbeat.ts'
export { announceRestart } from './announce-restart.ts'
export { healthNames } from './names.ts'
export { createNodeHealthReconciler } from './reconciler.ts'
