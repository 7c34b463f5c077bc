import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { unsupportedValue, when } from '../cause.ts'

/**
 * Validates words that Kubernetes defines and the schema leaves open. KubeVirt's texts, which name
 * no index.
 */
export function validateEnumerations(spec: VirtualMachineInstanceSpec, base: string): readonly StatusCause[] {
  const { tolerations = [], volumes = [], dnsPolicy } = spec
  const check = (path: string, value: string | undefined, words: readonly string[]): readonly StatusCause[] => {
    const message = `${path.replaceAll(/\[\d+\]/g, '')} in body should be one of [${words.join(' ')}]`
    return when(value !== undefined && value !== '' && !words.includes(value), unsupportedValue(path, message))
  }
  return [
    ...tolerations.flatMap(({ operator, effect }, index) => [
      ...check(`${base}.tolerations[${index}].operator`, operator, ['Equal', 'Exists']),
      ...check(`${base}.tolerations[${index}].effect`, effect, ['NoExecute', 'NoSchedule', 'PreferNoSchedule']),
    ]),
    ...volumes.flatMap(({ containerDisk }, index) =>
      check(`${base}.volumes[${index}].containerDisk.imagePullPolicy`, containerDisk?.imagePullPolicy, ['Always', 'IfNotPresent', 'Never']),
    ),
    ...check(`${base}.dnsPolicy`, dnsPolicy, ['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None']),
  ]
}
