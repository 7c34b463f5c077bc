export { agentReportAnnotations, lastHeartbeat, type AgentReport } from './agent-heartbeat.ts'
export { announceRestart } from './announce-restart.ts'
export { healthNames } from './names.ts'
export { createNodeHealthReconciler } from './reconciler.ts'
