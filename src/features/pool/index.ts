/**
 * VirtualMachinePools: a number of VMs that are made from one template.
 *
 * `createPoolController()` creates, updates and deletes VMs, and restarts guests whose template
 * changed; `validatePool()` is admission's. VMs are made into VMIs by vm/.
 */
export { inTemplate, memberToJudge, validatePool, warnOfPool } from './admission.ts'
export { createPoolController, type PoolControllerOptions } from './controller.ts'
