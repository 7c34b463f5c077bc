import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { finalizer as hyperConvergedFinalizer, hyperConvergedKey, operatorName, registrationNames } from '#features/hyperconverged/index.ts'
import type { ControllerName, Platform, PlatformObject } from './platform.ts'
import { consoleAnnotation, type Protection } from './protection.ts'

/** A layer of protection, and what to do about it. */
export interface Finding {
  readonly layer: 'OtherObject' | 'Webhook' | 'Workloads' | 'Admission' | 'Finalizer' | 'Namespace' | 'Console' | 'OLM'
  /**
   * `blocks`: nothing is removed before it is settled; `handled`: it would block `kubectl delete`,
   * and `steadyvm uninstall` takes care of it; `note`: it blocks nothing in this order.
   */
  readonly effect: 'blocks' | 'handled' | 'note'
  /** `Kind/name`. */
  readonly object: string
  readonly reason: string
  readonly remedy: string
}

/** Controllers of known finalizers. */
const controllers: Readonly<Record<string, ControllerName>> = {
  [hyperConvergedFinalizer]: 'hyperconverged-operator',
  'kubevirt.io/foregroundDeleteKubeVirt': 'virt-operator',
  foregroundDeleteKubeVirt: 'virt-operator',
  'operator.cdi.kubevirt.io': 'cdi-operator',
}
/** Finalizers of the API server's own controllers. */
const builtin: readonly string[] = ['foregroundDeletion', 'orphan']
/** Webhooks that the operator of HyperConverged serves, in messages of the API server. */
const ownWebhooks = /"[a-z]+-hyperconverged\.hco\.kubevirt\.io"/
const { namespace, name } = hyperConvergedKey

/**
 * Lists all layers that protect a platform from its removal, in the order in which they are met.
 * Pure.
 */
export function explain(platform: Platform, protection: Protection): readonly Finding[] {
  return [
    ...others(platform),
    ...ofHyperConverged(platform, protection),
    ...platform.components.flatMap((object) => ofComponent(object, platform, protection)),
    ...ofNamespace(platform, protection),
    ...ofServiceVersions(protection),
  ]
}

function others({ otherHyperConvergeds, otherKubeVirts }: Platform): readonly Finding[] {
  const place = ({ metadata }: KubeObject): string => `-n ${metadata?.namespace ?? ''} ${metadata?.name ?? ''}`
  return [
    ...otherHyperConvergeds.map((other): Finding => ({
      layer: 'OtherObject',
      effect: 'blocks',
      object: titleOf('HyperConverged', other),
      reason: `it is in the namespace "${other.metadata.namespace}", configures nothing, and would go with the CRD`,
      remedy: `kubectl delete hco ${place(other)}`,
    })),
    ...otherKubeVirts.map((other): Finding => ({
      layer: 'OtherObject',
      effect: 'note',
      object: titleOf('KubeVirt', other),
      reason: `it is in the namespace "${other.metadata.namespace}", and of another installation: it stays, and so does its CRD`,
      remedy: `kubectl delete kubevirt ${place(other)}`,
    })),
  ]
}

function ofHyperConverged({ hyperconverged, converted, running }: Platform, protection: Protection): readonly Finding[] {
  if (hyperconverged === undefined) return []
  const { refusals } = protection
  const object = titleOf('HyperConverged', hyperconverged)
  const isRunning = running.has('hyperconverged-operator')
  const own = registrationNames.map((registration) => `webhookconfiguration/${registration}`)
  const dead = isRunning ? [] : protection.deadWebhooks.filter(({ configuration }) => own.some((end) => configuration.endsWith(end)))
  const registrations = [...new Set(dead.map(({ configuration }) => configuration))]
  const answer = refusals.get('HyperConverged')
  const ownDead = registrations.map((configuration): Finding => ({
    layer: 'Webhook',
    effect: 'handled',
    object: configuration,
    reason: `it refuses writes of HyperConverged, and its Service ${namespace}/${operatorName} has no pod that is ready`,
    remedy: `steadyvm uninstall removes it; by hand: kubectl delete ${configuration}`,
  }))
  const conversion: readonly Finding[] =
    isRunning || converted === undefined
      ? []
      : [
          {
            layer: 'Webhook',
            effect: 'handled',
            object: `customresourcedefinition/${converted.metadata.name}`,
            reason: `writes may need the conversion of versions, and its Service ${namespace}/${operatorName} has no pod that is ready`,
            remedy: 'steadyvm uninstall serves the stored version only',
          },
        ]
  const isOfComponent = [...refusals].some(([title, { deletion }]) => title !== 'HyperConverged' && deletion !== undefined)
  const known = (message: string): boolean =>
    !isRunning && (ownWebhooks.test(message) || (conversion.length > 0 && message.includes('conversion webhook')))
  const refused = [...new Set([answer?.deletion, answer?.update].filter((message) => message !== undefined))].filter(
    (message) => !known(message) && !(isOfComponent && message === answer?.deletion && !isFailure(message)),
  )
  return [
    ...ownDead,
    ...conversion,
    ...refused.map((message) => admission(object, message, protection)),
    ...finalizersOf(hyperconverged).flatMap((finalizer): readonly Finding[] => {
      if (controllers[finalizer] !== 'hyperconverged-operator') return [unknownFinalizer(object, finalizer, 'hco', hyperconverged)]
      if (isRunning) return []
      return [
        {
          layer: 'Finalizer',
          effect: 'handled',
          object,
          reason: `its finalizer ${finalizer} waits for ${operatorName}, which does not run`,
          remedy: `steadyvm uninstall removes the components itself; or start the operator: steadyvm install --part hyperconverged-operator | kubectl apply --server-side -f -`,
        },
      ]
    }),
  ]
}

function ofComponent(
  target: PlatformObject,
  { running, isMachine, isNamespaceEnding }: Platform,
  protection: Protection,
): readonly Finding[] {
  const { title, object, resource } = target
  const refusals = protection.refusals.get(title)
  const guards = resource.kind === 'KubeVirt' ? guestsOf(title, object as KubeVirt, protection) : []
  const isGuarded = guards.some(({ effect }) => effect === 'blocks')
  const messages = [...new Set([refusals?.deletion, refusals?.update].filter((message) => message !== undefined))]
  return [
    ...guards,
    ...messages
      // The guests are the reason.
      .filter((message) => isFailure(message) || !isGuarded || message !== refusals?.deletion)
      .map((message) => admission(title, message, protection)),
    ...finalizersOf(object).flatMap((finalizer): readonly Finding[] => {
      const controller = controllers[finalizer]
      if (controller === undefined) return [unknownFinalizer(title, finalizer, resource.plural, object)]
      if (running.has(controller)) return []
      return [
        {
          layer: 'Finalizer',
          effect: 'blocks',
          object: title,
          reason: `its finalizer ${finalizer} waits for ${controller}, which does not run${isNamespaceEnding ? ', and cannot start in a namespace that is being deleted' : ''}`,
          remedy: isNamespaceEnding ? withoutFinalizers(resource.plural, object) : startOf(controller, isMachine),
        },
      ]
    }),
  ]
}

function guestsOf(title: string, { spec, metadata }: KubeVirt, { guests, refusals }: Protection): readonly Finding[] {
  const { instances, machines } = guests
  if (instances + machines === 0 || isBeingDeleted({ metadata })) return []
  const found = `${machines} VirtualMachines and ${instances} VirtualMachineInstances exist`
  const strategy = spec.uninstallStrategy ?? 'RemoveWorkloads'
  // KubeVirt only protects what is deployed.
  if (strategy !== 'BlockUninstallIfWorkloadsExist' || refusals.get(title)?.deletion === undefined)
    return [
      {
        layer: 'Workloads',
        effect: 'note',
        object: title,
        reason: `${found}, and are deleted with it: its uninstallStrategy is ${strategy}, and nothing refuses that`,
        remedy: 'back up what you need: steadyvm backup, or VirtualMachineSnapshots elsewhere',
      },
    ]
  return [
    {
      layer: 'Workloads',
      effect: 'blocks',
      object: title,
      reason: `${found}, and its uninstallStrategy is ${strategy}`,
      remedy:
        'kubectl delete vm,vmi --all -A; or set spec.deployment.uninstallStrategy of HyperConverged, or spec.uninstallStrategy of KubeVirt, to RemoveWorkloads',
    },
  ]
}

/** A refusal of the API server, with the webhook that does not answer if there is one. */
function admission(object: string, message: string, { deadWebhooks }: Protection): Finding {
  const dead = deadWebhooks.find((webhook) => isAbout(message, webhook.name))
  if (dead !== undefined)
    return {
      layer: 'Webhook',
      effect: 'blocks',
      object,
      reason: `webhook ${dead.name} of ${dead.configuration} must answer first, and its Service ${dead.service} has no pod that is ready`,
      remedy: `start what serves it, or: kubectl delete ${dead.configuration}`,
    }
  return {
    layer: isFailure(message) ? 'Webhook' : 'Admission',
    effect: 'blocks',
    object,
    reason: message,
    remedy: 'settle what the message says',
  }
}

function isFailure(message: string): boolean {
  return message.includes('failed calling webhook')
}

function isAbout(message: string, webhook: string): boolean {
  return isFailure(message) && message.includes(`"${webhook}"`)
}

function unknownFinalizer(title: string, finalizer: string, plural: string, object: KubeObject): Finding {
  return {
    layer: 'Finalizer',
    effect: 'note',
    object: title,
    reason: `its finalizer ${finalizer} is of a controller that is not known here: the object stays until that removes it`,
    remedy: `see that the controller runs; if it is gone for good: ${withoutFinalizers(plural, object)}`,
  }
}

function ofNamespace({ hyperconverged, isNamespaceEnding }: Platform, { hasNamespacePolicy }: Protection): readonly Finding[] {
  const object = `Namespace/${namespace}`
  if (isNamespaceEnding)
    return [
      {
        layer: 'Namespace',
        effect: 'note',
        object,
        reason: 'it is being deleted: no pod starts in it any more',
        remedy: 'let steadyvm uninstall remove what is left',
      },
    ]
  if (hyperconverged === undefined || !hasNamespacePolicy) return []
  return [
    {
      layer: 'Namespace',
      effect: 'note',
      object,
      reason: `a policy refuses to delete it, and the CRD hyperconvergeds.hco.kubevirt.io, while HyperConverged/${name} exists`,
      remedy: 'remove the object first',
    },
  ]
}

function ofServiceVersions({ serviceVersions }: Protection): readonly Finding[] {
  return serviceVersions.flatMap((version): readonly Finding[] => {
    const object = titleOf('ClusterServiceVersion', version)
    const isProtected = version.metadata?.annotations?.[consoleAnnotation] === 'true'
    return [
      ...(isProtected
        ? [
            {
              layer: 'Console',
              effect: 'note',
              object,
              reason: `its annotation ${consoleAnnotation} keeps OpenShift's console from deleting objects with the operator`,
              remedy: 'delete the object first, as this command does',
            } as const,
          ]
        : []),
      {
        layer: 'OLM',
        effect: 'note',
        object,
        reason: 'the Operator Lifecycle Manager installs its operator again when that is deleted: it stays',
        remedy: `afterwards: kubectl delete -n ${namespace} subscription,csv --all`,
      },
    ]
  })
}

function finalizersOf({ metadata }: KubeObject): readonly string[] {
  return (metadata?.finalizers ?? []).filter((finalizer) => !builtin.includes(finalizer))
}

function titleOf(kind: string, { metadata }: KubeObject): string {
  return `${kind}/${metadata?.name ?? ''}`
}

function startOf(controller: ControllerName, isMachine: boolean): string {
  if (controller === 'cdi-operator') return 'start cdi-operator again'
  return isMachine ? 'steadyvm up' : 'steadyvm install --part operator | kubectl apply --server-side -f -'
}

function withoutFinalizers(plural: string, { metadata }: KubeObject): string {
  const place = metadata?.namespace === undefined ? '' : `-n ${metadata.namespace} `
  return `kubectl patch ${place}${plural} ${metadata?.name ?? ''} --type=merge -p '{"metadata":{"finalizers":null}}'`
}
