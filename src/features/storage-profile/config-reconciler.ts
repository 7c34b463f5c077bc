import type { CDI } from '#api/cdi/v1beta1/cdi.ts'
import type { CDIConfig } from '#api/cdi/v1beta1/cdi-config.ts'
import { cdiConfigs } from '#api/cdi/v1beta1/resources.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { isAlreadyExists } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged, patchStatus } from '#client/patch-status.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { done, type Reconciler } from '#runtime/controller/reconcile.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'
import { defaultStorageClass } from './default-storage-class.ts'
import { configName, configStatusOf } from './import-settings.ts'

/** With it on the CDI object, the settings of CDIConfig are those of the CDI object. */
const authorityAnnotation = 'cdi.kubevirt.io/configAuthority'

/** Where uploads are taken. */
export interface UploadAddress {
  /** Undefined: only administrators know, and say so in the CDIConfig. */
  readonly url?: string
  /** PEM of the authority of its certificate. */
  readonly authority?: string
}

interface Ports {
  readonly client: Client
  readonly configs: Pick<Lister<CDIConfig>, 'get'>
  readonly installations: Pick<Lister<CDI>, 'list'>
  readonly classes: Pick<Lister<StorageClass>, 'list'>
  readonly upload: () => UploadAddress
}

/** Keeps the CDIConfig `config`: its spec follows the CDI object, its status says what is used. */
export function createConfigReconciler(ports: Ports): Reconciler {
  return async ({ name }, { signal }) => {
    if (name !== configName) return done
    const client = withSignal(ports.client, signal)
    const cdi = ports.installations.list().find((one) => !isBeingDeleted(one))
    const wanted = cdi?.metadata.annotations?.[authorityAnnotation] === undefined ? undefined : (cdi.spec.config ?? {})
    const present = ports.configs.get('', configName)
    if (present === undefined) {
      await client.create(cdiConfigs, newConfig(wanted ?? {})).catch(ignorePresent)
      return done
    }
    if (isBeingDeleted(present)) return done
    if (wanted !== undefined && !semanticEqual(present.spec, wanted)) {
      const gone = Object.keys(present.spec).filter((key) => !Object.hasOwn(wanted, key))
      const spec = { ...wanted, ...Object.fromEntries(gone.map((key) => [key, null])) }
      await found(patchIfUnchanged(client, cdiConfigs, present, { spec }))
      return done
    }
    const upload = ports.upload()
    const scratchClass = defaultStorageClass(ports.classes.list())?.metadata.name
    const status = configStatusOf(present.spec, {
      ...(scratchClass === undefined ? {} : { scratchClass }),
      ...(upload.url === undefined ? {} : { uploadUrl: upload.url }),
      ...(upload.authority === undefined ? {} : { uploadAuthority: upload.authority }),
    })
    const gone = Object.keys(present.status ?? {}).filter((key) => !Object.hasOwn(status, key))
    await found(patchStatus(client, cdiConfigs, present, { ...status, ...Object.fromEntries(gone.map((key) => [key, null])) }))
    return done
  }
}

function newConfig(spec: CDIConfig['spec']): CDIConfig {
  return { apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'CDIConfig', metadata: { name: configName }, spec }
}

function ignorePresent(error: unknown): void {
  if (!isAlreadyExists(error)) throw error
}
