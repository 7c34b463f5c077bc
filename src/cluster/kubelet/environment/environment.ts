import type { Container, EnvFromSource, EnvVar, ResourceFieldSelector } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { type ConfigurationData, ContainerConfigError, type ConfigurationSource } from './configuration-source.ts'
import { allContainers } from '../pod/container-view.ts'
import { expandVariables } from './expansion.ts'
import { podAddress } from '../network/pod-address.ts'
import { fieldValue, type NodeFacts } from './field-reference.ts'
import { resourceFieldValue } from './resource-field.ts'

type Variables = Readonly<Record<string, string>>

/** Input of {@link containerEnvironment}. */
export interface EnvironmentInput {
  readonly pod: Pod
  readonly container: Container
  readonly podDirectory: string
  readonly node: NodeFacts
  /** PATH, HOME and what else every container gets. */
  readonly base: Variables
  readonly source: ConfigurationSource
}

/** Computes a container's whole environment; it inherits nothing. @throws ContainerConfigError */
export async function containerEnvironment(input: EnvironmentInput): Promise<Variables> {
  const { pod, container, node } = input
  const variables: Record<string, string> = {
    ...input.base,
    HOSTNAME: pod.spec?.hostname ?? pod.metadata?.name ?? '',
    POD_DIR: input.podDirectory,
    POD_UID: pod.metadata?.uid ?? '',
    POD_NAME: pod.metadata?.name ?? '',
    // A server with an address of its own must not listen on those of other pods.
    POD_IP: podAddress(pod, node),
    POD_NAMESPACE: pod.metadata?.namespace ?? '',
    NODE_NAME: node.nodeName,
  }
  for (const from of container.envFrom ?? []) Object.assign(variables, await variablesFrom(input, from))
  for (const variable of container.env ?? []) {
    const value = await valueOf(input, variable, variables)
    if (value !== undefined) variables[variable.name] = value
  }
  return variables
}

async function variablesFrom(input: EnvironmentInput, from: EnvFromSource): Promise<Variables> {
  const namespace = input.pod.metadata?.namespace ?? ''
  const reference = from.configMapRef ?? from.secretRef
  if (reference?.name === undefined) return {}
  const isSecret = from.configMapRef === undefined
  const data = await (isSecret ? input.source.secret(namespace, reference.name) : input.source.configMap(namespace, reference.name))
  if (data === undefined) {
    if (reference.optional === true) return {}
    throw new ContainerConfigError(`${isSecret ? 'secret' : 'configmap'} "${reference.name}" not found`)
  }
  const prefix = from.prefix ?? ''
  return Object.fromEntries([...data].map(([key, value]) => [`${prefix}${key}`, decode(value)]))
}

async function valueOf(input: EnvironmentInput, variable: EnvVar, variables: Variables): Promise<string | undefined> {
  const { pod, source } = input
  const namespace = pod.metadata?.namespace ?? ''
  const from = variable.valueFrom
  if (from === undefined) return expandVariables(variable.value ?? '', variables)
  if (from.fieldRef !== undefined) return downwardValue(input, from.fieldRef.fieldPath)
  if (from.resourceFieldRef !== undefined) return resourceValue(input, from.resourceFieldRef)
  const { configMapKeyRef, secretKeyRef } = from
  if (configMapKeyRef !== undefined) {
    const name = configMapKeyRef.name ?? ''
    return keyOf(await source.configMap(namespace, name), { ...configMapKeyRef, name, object: 'configmap' })
  }
  if (secretKeyRef !== undefined) {
    const name = secretKeyRef.name ?? ''
    return keyOf(await source.secret(namespace, name), { ...secretKeyRef, name, object: 'secret' })
  }
  throw new ContainerConfigError(
    `Environment variable "${variable.name}" has a source that is not supported: ${Object.keys(from).join(', ')}`,
  )
}

function downwardValue(input: EnvironmentInput, path: string): string {
  const value = fieldValue(input.pod, path, input.node)
  if (value === undefined) throw new ContainerConfigError(`Field path "${path}" is not one of the downward API`)
  return value
}

function resourceValue(input: EnvironmentInput, field: ResourceFieldSelector): string {
  const { containerName = input.container.name } = field
  const container = allContainers(input.pod).find(({ name }) => name === containerName)
  const value = container === undefined ? undefined : resourceFieldValue(container, field, input.node)
  if (value === undefined)
    throw new ContainerConfigError(`Resource "${field.resource}" of container "${containerName}" is not one of the downward API`)
  return value
}

interface KeyReference {
  readonly object: 'configmap' | 'secret'
  readonly name: string
  readonly key: string
  readonly optional?: boolean
}

function keyOf(data: ConfigurationData | undefined, reference: KeyReference): string | undefined {
  const value = data?.get(reference.key)
  if (value !== undefined) return decode(value)
  if (reference.optional === true) return undefined
  if (data === undefined) throw new ContainerConfigError(`${reference.object} "${reference.name}" not found`)
  throw new ContainerConfigError(`couldn't find key ${reference.key} in ${reference.object} "${reference.name}"`)
}

function decode(value: Uint8Array): string {
  return new TextDecoder().decode(value)
}
