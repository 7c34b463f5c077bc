import type { ConfigMap } from '#api/core/v1/config-map.ts'
import { configMaps } from '#api/core/v1/resources.ts'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { labelsOf, lastAppliedName, operatorName } from '../../names.ts'
import { configurationOf, revisionOf, type Configuration } from './configuration.ts'

/** The last configuration that was applied to all components. */
export interface LastApplied extends Configuration {
  /** UID of the HyperConverged object. */
  readonly uid: string
  readonly generation: number
  readonly revision: string
  /** Revision that all components had before; undefined for none. */
  readonly follows?: string
}

/**
 * Reads the last configuration. Undefined without one, and if it is not what the operator has
 * stored.
 */
export async function readLastApplied(
  client: Pick<Client, 'get'>,
  namespace: string,
  signal: AbortSignal,
): Promise<LastApplied | undefined> {
  const object = await found(client.get(configMaps, { namespace, name: lastAppliedName }, { signal }))
  const value = parsed(object?.data?.['configuration'])
  if (!isJsonObject(value)) return undefined
  const last = value as unknown as LastApplied
  const { spec, annotations, revision } = last
  return isJsonObject(annotations) && revisionOf({ spec, annotations }) === revision ? last : undefined
}

/** Stores the configuration of an object, in one write. It is removed with the object. */
export async function writeLastApplied(
  client: Pick<Client, 'patch'>,
  hyperconverged: HyperConverged,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  const { metadata, status } = hyperconverged
  const { name = '', uid = '', generation = 0 } = metadata
  const configuration = configurationOf(hyperconverged)
  const follows = status?.steadyvm?.configuration?.revision
  const last: LastApplied = {
    ...configuration,
    uid,
    generation,
    revision: revisionOf(configuration),
    ...(follows === undefined ? {} : { follows }),
  }
  const body: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      namespace,
      name: lastAppliedName,
      labels: labelsOf('deployment'),
      ownerReferences: [{ apiVersion: apiVersionOf(hyperConvergeds), kind: hyperConvergeds.kind, name, uid }],
    },
    data: { configuration: JSON.stringify(last) },
  }
  const key = { namespace, name: lastAppliedName }
  await client.patch(configMaps, key, { type: 'apply', body, fieldManager: operatorName, force: true }, { signal })
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
