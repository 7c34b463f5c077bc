import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import { createRecorder, type Recorder } from '#runtime/recorder/recorder.ts'
import type { ControllerOptions } from '../controller-options.ts'

/** Dependencies of every workload controller. */
export interface WorkloadPorts extends ControllerOptions {
  /** Records events with the name of this controller. */
  readonly recorder: Recorder
}

/** The ports of one controller, whose events say who it is: `deployment-controller`. */
export function workloadPorts({ client, informers, clock, log }: ControllerOptions, component: string): WorkloadPorts {
  return { client, informers, clock, log, recorder: createRecorder({ client, component, clock, log }) }
}

/** The object with apiVersion and kind, which objects from lists may lack and events need. */
export function typed<T extends KubeObject>(resource: ResourceType<T>, object: T): T {
  return { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind }
}
