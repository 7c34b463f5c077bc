import type { Container } from '#api/core/v1/container.ts'
import type { PodSpec, PodTemplateSpec } from '#api/core/v1/pod.ts'
import type { Volume } from '#api/core/v1/volume.ts'

const defaultGraceSeconds = 30

/** Sets defaults that depend on other fields, in pods and templates. */
export function withPodSpecDefaults(spec: PodSpec): PodSpec {
  const account = spec.serviceAccountName ?? spec.serviceAccount
  return {
    ...spec,
    ...(spec.containers === undefined ? {} : { containers: spec.containers.map(withPullPolicy) }),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(withPullPolicy) }),
    ...(spec.volumes === undefined ? {} : { volumes: spec.volumes.map(withSource) }),
    restartPolicy: spec.restartPolicy ?? 'Always',
    terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds ?? defaultGraceSeconds,
    dnsPolicy: spec.dnsPolicy ?? 'ClusterFirst',
    ...(account === undefined ? {} : { serviceAccountName: account, serviceAccount: account }),
    schedulerName: spec.schedulerName ?? 'default-scheduler',
    securityContext: spec.securityContext ?? {},
  }
}

/** Sets the pod defaults in a template. */
export function withTemplateDefaults<T extends PodTemplateSpec | undefined>(template: T): T {
  if (template?.spec === undefined) return template
  return { ...template, spec: withPodSpecDefaults(template.spec) }
}

/** A volume without a source is an emptyDir. */
function withSource(volume: Volume): Volume {
  return Object.keys(volume).length === 1 ? { ...volume, emptyDir: {} } : volume
}

function withPullPolicy(container: Container): Container {
  const { image, imagePullPolicy, resources } = container
  return {
    ...container,
    imagePullPolicy: imagePullPolicy ?? (isLatest(image ?? '') ? 'Always' : 'IfNotPresent'),
    resources: resources ?? {},
  }
}

function isLatest(image: string): boolean {
  if (image.includes('@')) return false
  const tag = /:([^/:]+)$/.exec(image)?.[1]
  return tag === undefined || tag === 'latest'
}
