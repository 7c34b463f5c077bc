import type { Runnable } from '#runtime/manager/runnable.ts'
import type { ControllerOptions } from '../controller-options.ts'
import { createCronJobController } from './cronjob/cronjob-controller.ts'
import { createDaemonSetController } from './daemonset/daemonset-controller.ts'
import { createDeploymentController } from './deployment/deployment-controller.ts'
import { createJobController } from './job/job-controller.ts'
import { createOrphanedPodsController } from './job/orphaned-pods-controller.ts'
import { createReplicaSetController } from './replicaset/replicaset-controller.ts'
import { createStatefulSetController } from './statefulset/statefulset-controller.ts'
import { replicationControllerKind } from './replication-controller/replication-controller-kind.ts'

/** Those that keep pods for workloads. They share the informers of pods and of each other. */
export function createWorkloadControllers(options: ControllerOptions): readonly Runnable[] {
  return [
    createReplicaSetController(options),
    createReplicaSetController(options, replicationControllerKind),
    createDeploymentController(options),
    createDaemonSetController(options),
    createStatefulSetController(options),
    createCronJobController(options),
    createJobController(options),
    createOrphanedPodsController(options),
  ]
}
