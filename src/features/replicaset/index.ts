/**
 * VirtualMachineInstanceReplicaSets: a number of VMIs that are made from one template.
 *
 * `createReplicaSetController()` creates and deletes VMIs; the scale subresource, which
 * HorizontalPodAutoscalers use, is the API server's. `validateReplicaSet()` is admission's. VMIs
 * are made into guests by vmi/.
 */
export { validateReplicaSet } from './admission.ts'
export { createReplicaSetController, type ReplicaSetControllerOptions } from './controller.ts'
