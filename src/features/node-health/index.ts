export { agentWord, heardOf, type AgentWord } from './agent-word.ts'
export { announceRestart } from './announce-restart.ts'
export { healthNames } from './names.ts'
export { createNodeHealthReconciler } from './reconciler.ts'
