import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '#api/core/v1/persistent-volume-claim.ts'
import { cdiConfigs, cdis, storageProfiles, volumeCloneSources } from '#api/cdi/v1beta1/resources.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import { storageClasses } from '#api/storage/v1/resources.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { badRequest } from '#apimachinery/errors.ts'
import type { Client, JsonPatchOperation } from '#client/client.ts'
import { found } from '#client/found.ts'
import { cdiGroup } from '#features/foreign-cdi/index.ts'
import { configName, defaultStorageClass, importSettingsOf } from '#features/storage-profile/index.ts'
import { renderClaim } from '../claim/render-claim.ts'
import { names } from '../names.ts'

type Reader = Pick<Client, 'get' | 'list'>

const completed = ['accessModes', 'volumeMode', 'storageClassName', 'resources'] as const

/**
 * Completes a claim that has CDI's label for it from its storage class and StorageProfile, as the
 * `storage` of a DataVolume. Returns what to change.
 *
 * @throws StatusError 400: it cannot be completed
 */
export async function completeClaim(client: Reader, claim: PersistentVolumeClaim, namespace: string): Promise<JsonPatchOperation[]> {
  const config = await found(client.get(cdiConfigs, { name: configName }))
  if (config?.spec.webhookPvcRendering === 'Disabled') return []
  const spec = claim.spec ?? {}
  const contentType = claim.metadata.annotations?.[names.contentType] ?? 'kubevirt'
  const classes = (await client.list(storageClasses)).items
  const className = spec.storageClassName ?? defaultStorageClass(classes, contentType)?.metadata.name ?? ''
  const profile = className === '' ? undefined : await found(client.get(storageProfiles, { name: className }))
  const rendered = renderClaim({
    spec: { storage: spec, contentType },
    classes,
    profile: (name) => (name === className ? profile : undefined),
    settings: importSettingsOf(config, (await client.list(cdis)).items[0]),
    copied: await copiedBy(client, spec, namespace),
  })
  if (rendered.problem !== undefined) throw badRequest(`spec: the claim cannot be completed from a StorageProfile: ${rendered.problem}`)
  return completed.flatMap((field) => {
    const value: unknown = rendered.spec[field]
    return value === undefined || semanticEqual(value, spec[field]) ? [] : [{ op: 'add', path: `/spec/${field}`, value }]
  })
}

/** The claim that a VolumeCloneSource names: its size is that of the copy. */
async function copiedBy(
  client: Reader,
  { dataSourceRef }: PersistentVolumeClaimSpec,
  namespace: string,
): Promise<PersistentVolumeClaim | undefined> {
  if (dataSourceRef?.apiGroup !== cdiGroup || dataSourceRef.kind !== 'VolumeCloneSource') return undefined
  const source = await found(client.get(volumeCloneSources, { namespace, name: dataSourceRef.name }))
  if (source?.spec.source.kind !== 'PersistentVolumeClaim') return undefined
  return found(client.get(persistentVolumeClaims, { namespace, name: source.spec.source.name }))
}
