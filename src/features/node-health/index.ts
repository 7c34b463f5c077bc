/**
 * Detects node agents without heartbeat, and fails guests that have ended with them.
 *
 * `createNodeHealthController` marks such nodes unschedulable for guests. `announceRestart` extends
 * the time for a planned replacement of an agent; `agentReportAnnotations` and `lastHeartbeat`
 * write and read the heartbeat.
 *
 * It never fails a guest whose pod may still run.
 */
export { agentReportAnnotations, lastHeartbeat, type AgentReport } from './agent-heartbeat.ts'
export { announceRestart } from './announce-restart.ts'
export { healthNames } from './names.ts'
export { createNodeHealthController } from './controller.ts'
