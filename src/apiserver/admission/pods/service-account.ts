import type { Pod } from '#api/core/v1/pod.ts'
import type { ServiceAccount } from '#api/core/v1/service-account.ts'
import { forbidden } from '#apimachinery/errors.ts'
import type { AdmissionPlugin, AdmissionRequest } from '#apiserver/admission/chain.ts'
import { createdPod, isMirrorPod, podsKey } from '#apiserver/admission/pods/pod-request.ts'
import { systemTimers, type Timers } from '#apiserver/request/timers.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import { withTokenVolume } from './token-volume.ts'

const accountsKey = '/serviceaccounts'
const defaultAccount = 'default'
/** Time to wait for the default account, which a controller creates shortly after its namespace. */
const patienceMs = 1_000

/** Dependencies of {@link createServiceAccountAdmission}. */
export interface ServiceAccountOptions {
  readonly store: ObjectStore
  /** Returns numbers in [0, 1). */
  readonly random: () => number
  /** Default: the process's timers. */
  readonly timers?: Timers
}

/** Sets the service account of every pod, its image pull secrets and a projected token. */
export function createServiceAccountAdmission(options: ServiceAccountOptions): AdmissionPlugin {
  return {
    name: 'ServiceAccount',
    resources: new Set([podsKey]),
    mutate(request) {
      const pod = createdPod(request)
      if (pod?.spec === undefined) return undefined
      return isMirrorPod(pod) ? refuseSecrets(pod, request) : identify(options, pod, request)
    },
  }
}

/** A mirror pod must not use secrets or an account, as a node could read them through it. */
function refuseSecrets({ spec }: Pod, { target }: AdmissionRequest): undefined {
  const refuse = (what: string): Error => forbidden(target.definition, target.name, `a mirror pod may not reference ${what}`)
  if ((spec.serviceAccountName ?? '') !== '') throw refuse('service accounts')
  if ((spec.volumes ?? []).some(({ projected }) => projected?.sources?.some((source) => source.serviceAccountToken !== undefined))) {
    throw refuse('service account tokens')
  }
  return undefined
}

async function identify(options: ServiceAccountOptions, pod: Pod, { target }: AdmissionRequest): Promise<Pod> {
  const { spec } = pod
  const name = (spec.serviceAccountName ?? '') === '' ? defaultAccount : (spec.serviceAccountName ?? '')
  const account = await findAccount(options, target.namespace ?? '', name)
  if (account === undefined) {
    const why = `error looking up service account ${target.namespace ?? ''}/${name}: serviceaccount ${JSON.stringify(name)} not found`
    throw forbidden(target.definition, target.name, why)
  }
  const wantsToken = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true
  const pullSecrets = (spec.imagePullSecrets ?? []).length === 0 ? (account.imagePullSecrets ?? []) : []
  const named = {
    ...spec,
    serviceAccountName: name,
    serviceAccount: name,
    ...(pullSecrets.length === 0 ? {} : { imagePullSecrets: pullSecrets }),
  }
  return { ...pod, spec: wantsToken ? withTokenVolume(named, options.random) : named }
}

async function findAccount(
  { store, timers = systemTimers }: ServiceAccountOptions,
  namespace: string,
  name: string,
): Promise<ServiceAccount | undefined> {
  const find = (): ServiceAccount | undefined => store.get(accountsKey, namespace, name)?.object as ServiceAccount | undefined
  const found = find()
  if (found !== undefined) return found
  const { promise, resolve } = Promise.withResolvers<void>()
  using _change = store.subscribe(accountsKey, undefined, () => {
    if (find() !== undefined) resolve()
  })
  using _end = timers.after(patienceMs, resolve)
  await promise
  return find()
}
