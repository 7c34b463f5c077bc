import type { Container, ContainerPort, EnvVar, VolumeMount } from '#api/core/v1/container.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { duplicateValue, invalidValue, quote } from '#apimachinery/field-messages.ts'
import { duplicates, labelName, oneOf, portName, portNumber, requiredField } from '../checks/field-checks.ts'
import { validateProbe } from './validate-probe.ts'
import { validateResources } from './validate-resources.ts'

/** Context of a container. */
export interface ContainerPlace {
  /** Names of the pod's volumes. */
  readonly volumes: ReadonlySet<string>
  /** True for an init container. */
  readonly init: boolean
}

const pullPolicies = ['Always', 'IfNotPresent', 'Never']
const protocols = ['SCTP', 'TCP', 'UDP']

/** Validates a container beyond its schema. */
export function validateContainer(container: Container, field: string, place: ContainerPlace): FieldError[] {
  return [
    ...labelName(`${field}.name`, container.name),
    ...validateImage(container.image ?? '', `${field}.image`),
    ...validateLifeOf(container, field, place),
    ...validatePorts(container.ports ?? [], `${field}.ports`),
    ...(container.env ?? []).flatMap((variable, index) => validateVariable(variable, `${field}.env[${index}]`)),
    ...validateMounts(container, field, place),
    ...oneOf(`${field}.imagePullPolicy`, container.imagePullPolicy, pullPolicies),
    ...oneOf(`${field}.terminationMessagePolicy`, container.terminationMessagePolicy, ['FallbackToLogsOnError', 'File']),
    ...validateResources(container.resources, `${field}.resources`),
  ]
}

function validateImage(image: string, field: string): FieldError[] {
  if (image === '') return [requiredField(field)]
  return image.trim() === image ? [] : [invalidValue(field, image, 'must not have leading or trailing whitespace')]
}

/** Init containers finish before the pod is ready, so only restartable ones may have probes. */
function validateLifeOf(container: Container, field: string, { init }: ContainerPlace): FieldError[] {
  const { livenessProbe, readinessProbe, startupProbe, lifecycle, restartPolicy } = container
  const sidecar = restartPolicy === 'Always'
  if (init && !sidecar) {
    const why = 'may not be set for init containers without restartPolicy=Always'
    return Object.entries({ lifecycle, livenessProbe, readinessProbe, startupProbe }).flatMap(([name, value]) =>
      value === undefined ? [] : [{ reason: 'FieldValueForbidden' as const, field: `${field}.${name}`, message: `Forbidden: ${why}` }],
    )
  }
  return [
    ...validateProbe(livenessProbe, `${field}.livenessProbe`, { successOnce: true }),
    ...validateProbe(readinessProbe, `${field}.readinessProbe`, { successOnce: false }),
    ...validateProbe(startupProbe, `${field}.startupProbe`, { successOnce: true }),
  ]
}

function validatePorts(ports: readonly ContainerPort[], field: string): FieldError[] {
  const names = ports.map(({ name = '' }) => name)
  return [
    ...ports.flatMap(({ name = '', containerPort, hostPort = 0, protocol }, index) => [
      ...(name === '' ? [] : portName(`${field}[${index}].name`, name)),
      ...(containerPort === 0
        ? [requiredField(`${field}[${index}].containerPort`)]
        : portNumber(`${field}[${index}].containerPort`, containerPort)),
      ...(hostPort === 0 ? [] : portNumber(`${field}[${index}].hostPort`, hostPort)),
      ...oneOf(`${field}[${index}].protocol`, protocol, protocols),
    ]),
    ...duplicates(names).map((index) => duplicateValue(`${field}[${index}].name`, names[index])),
  ]
}

const variableSources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'] as const

function validateVariable({ name, value, valueFrom }: EnvVar, field: string): FieldError[] {
  const faults: FieldError[] = []
  if (name === '') faults.push(requiredField(`${field}.name`))
  else if (!/^[\x20-\x3c\x3e-\x7e]+$/.test(name)) {
    const why = "a valid environment variable name must consist only of printable ASCII characters other than '='"
    faults.push(invalidValue(`${field}.name`, name, why))
  }
  if (valueFrom === undefined) return faults
  const sources = variableSources.filter((source) => valueFrom[source] !== undefined)
  if (sources.length === 0) {
    const why = 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`'
    faults.push(invalidValue(`${field}.valueFrom`, '', why))
  } else if (value !== undefined && value !== '') {
    faults.push(invalidValue(`${field}.valueFrom`, '', 'may not be specified when `value` is not empty'))
  } else if (sources.length > 1) {
    faults.push(invalidValue(`${field}.valueFrom`, '', 'may not have more than one field specified at a time'))
  }
  for (const source of ['configMapKeyRef', 'secretKeyRef'] as const) {
    if (valueFrom[source] !== undefined && valueFrom[source].key === '') faults.push(requiredField(`${field}.valueFrom.${source}.key`))
  }
  return faults
}

function validateMounts({ volumeMounts = [], volumeDevices = [] }: Container, field: string, { volumes }: ContainerPlace): FieldError[] {
  const paths = volumeMounts.map(({ mountPath }) => mountPath)
  return [
    ...volumeMounts.flatMap((mount, index) => validateMount(mount, `${field}.volumeMounts[${index}]`, volumes)),
    ...duplicates(paths).map((index) => invalidValue(`${field}.volumeMounts[${index}].mountPath`, paths[index], 'must be unique')),
    ...volumeDevices.flatMap(({ name }, index) => knownVolume(name, `${field}.volumeDevices[${index}].name`, volumes)),
  ]
}

function validateMount({ name, mountPath, subPath = '' }: VolumeMount, field: string, volumes: ReadonlySet<string>): FieldError[] {
  return [
    ...knownVolume(name, `${field}.name`, volumes),
    ...(mountPath === '' ? [requiredField(`${field}.mountPath`)] : []),
    ...(subPath.startsWith('/') ? [invalidValue(`${field}.subPath`, subPath, 'must be a relative path')] : []),
    ...(subPath.split('/').includes('..') ? [invalidValue(`${field}.subPath`, subPath, "must not contain '..'")] : []),
  ]
}

function knownVolume(name: string, field: string, volumes: ReadonlySet<string>): FieldError[] {
  if (name === '') return [requiredField(field)]
  return volumes.has(name) ? [] : [{ reason: 'FieldValueNotFound', field, message: `Not found: ${quote(name)}` }]
}
