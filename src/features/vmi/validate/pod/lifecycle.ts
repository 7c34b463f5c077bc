import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { invalidValue, when } from '../cause.ts'

const evictionStrategies: readonly string[] = ['None', 'LiveMigrate', 'LiveMigrateIfPossible', 'External']

/** Validates start, eviction and shutdown settings. */
export function validateLifecycle(spec: VirtualMachineInstanceSpec, base: string): readonly StatusCause[] {
  const { terminationGracePeriodSeconds: grace = 0, startStrategy, evictionStrategy, livenessProbe } = spec
  const unrecognized = (field: string, value: string | undefined): StatusCause =>
    invalidValue(`${base}.${field}`, `${base}.${field} is set with an unrecognized option: ${value}`)
  const start = `${base}.startStrategy`
  const graceField = `${base}.terminationGracePeriodSeconds`
  return [
    ...when(startStrategy !== undefined && startStrategy !== 'Paused', unrecognized('startStrategy', startStrategy)),
    ...when(
      startStrategy === 'Paused' && livenessProbe !== undefined,
      invalidValue(start, `either ${start} or ${base}.livenessProbe should be provided.Pausing VMI with LivenessProbe is not supported`),
    ),
    ...when(
      evictionStrategy !== undefined && !evictionStrategies.includes(evictionStrategy),
      unrecognized('evictionStrategy', evictionStrategy),
    ),
    // KubeVirt accepts it, and the API server then refuses the pod.
    ...when(grace < 0, invalidValue(graceField, `${graceField} '${grace}': must be greater than or equal to 0.`)),
  ]
}
