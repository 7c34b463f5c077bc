import type { PolicyRule } from '#api/rbac/v1/role.ts'

const read = ['get', 'list', 'watch']
/** Server-side apply creates with `create` and changes with `patch`. */
const apply = ['create', 'patch']
/** Names of objects that KubeVirt's own operator has left, each of several kinds. */
const leftovers = ['passt-binding-cni', 'iommufd-device-plugin']

/** A list cannot be limited to names, and neither can a creation. */
function rulesOfWorkloads(workloads: Parameters<typeof hyperConvergedRules>[0]['workloads']): readonly PolicyRule[] {
  return workloads.flatMap(({ group, plural, names }) => {
    const rule = { apiGroups: [group], resources: [plural] }
    return [
      { ...rule, verbs: [...read, 'create'] },
      { ...rule, resourceNames: [...names], verbs: ['patch', 'delete'] },
    ]
  })
}

/**
 * The operator cannot grant what it does not have. It may bind the Role before it is there: both
 * are written at once.
 */
function rulesOfImages({ name, rules }: Parameters<typeof hyperConvergedRules>[0]['images']): readonly PolicyRule[] {
  const both = { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'] }
  return [
    ...rules,
    { ...both, verbs: [...read, 'create'] },
    { ...both, resourceNames: [name], verbs: ['patch', 'delete'] },
    { ...both, resources: ['roles'], resourceNames: [name], verbs: ['bind'] },
  ]
}

/**
 * Rights of the operator of HyperConverged: in the whole cluster, and in its own namespace. It is
 * installed beside the other components, and virt-operator grants it nothing. `crd`: name of the
 * CRD that it converts; `webhooks`, `certificates`: names of the objects of its webhooks;
 * `components`: what it configures, and the name of the object, undefined where it takes over one
 * of any name; `namespaces`: those that it creates; `images`: what all users may do with boot
 * images, and the name of the Role and its binding; `monitoring`: names of its objects for
 * Prometheus; `workloads`: objects of the workloads that it deploys; `lastApplied`: name of the
 * ConfigMap with its last configuration.
 */
export function hyperConvergedRules(names: {
  readonly crd: string
  readonly webhooks: readonly string[]
  readonly certificates: readonly string[]
  readonly components: readonly { readonly group: string; readonly plural: string; readonly objectName: string | undefined }[]
  readonly namespaces: readonly string[]
  readonly images: { readonly name: string; readonly rules: readonly PolicyRule[] }
  readonly monitoring: readonly string[]
  readonly workloads: readonly {
    readonly group: string
    readonly plural: string
    readonly namespaced: boolean
    readonly names: readonly string[]
  }[]
  readonly lastApplied: string
}): { readonly cluster: readonly PolicyRule[]; readonly namespace: readonly PolicyRule[] } {
  return {
    cluster: [
      // `patch` is for the finalizer, and for the patches of an upgrade.
      { apiGroups: ['hco.kubevirt.io'], resources: ['hyperconvergeds'], verbs: [...read, 'patch'] },
      { apiGroups: ['hco.kubevirt.io'], resources: ['hyperconvergeds/status'], verbs: ['patch'] },
      { apiGroups: ['steadyvm.io'], resources: ['componentoverrides'], verbs: [...read] },
      { apiGroups: ['steadyvm.io'], resources: ['componentoverrides/status'], verbs: ['patch'] },
      ...names.components.flatMap(({ group, plural, objectName }) => {
        const rule = { apiGroups: [group], resources: [plural] }
        return [
          { ...rule, verbs: [...read, ...apply] },
          // An object is removed with HyperConverged, or when it is switched off.
          { ...rule, verbs: ['delete'], ...(objectName === undefined ? {} : { resourceNames: [objectName] }) },
        ]
      }),
      ...rulesOfWorkloads(names.workloads.filter(({ namespaced }) => !namespaced)),
      { apiGroups: [''], resources: ['namespaces'], verbs: ['create'] },
      { apiGroups: [''], resources: ['namespaces'], resourceNames: [...names.namespaces], verbs: ['patch'] },
      ...rulesOfImages(names.images),
      // Leftovers of KubeVirt's own operator, as in upgradePatches.json; others are below.
      {
        apiGroups: ['security.openshift.io'],
        resources: ['securitycontextconstraints'],
        resourceNames: [...leftovers],
        verbs: ['delete'],
      },
      {
        apiGroups: ['k8s.cni.cncf.io'],
        resources: ['network-attachment-definitions'],
        resourceNames: ['primary-udn-kubevirt-binding'],
        verbs: ['delete'],
      },
      { apiGroups: [''], resources: ['nodes'], verbs: [...read] },
      // A descheduler that would evict guests is reported.
      { apiGroups: ['operator.openshift.io'], resources: ['kubedeschedulers'], resourceNames: ['cluster'], verbs: [...read] },
      { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: [...read] },
      // The version that it converts is served while it answers.
      { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], resourceNames: [names.crd], verbs: ['patch'] },
      {
        apiGroups: ['admissionregistration.k8s.io'],
        resources: ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
        verbs: ['create'],
      },
      {
        apiGroups: ['admissionregistration.k8s.io'],
        resources: ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
        resourceNames: [...names.webhooks],
        verbs: [...read, 'patch'],
      },
      // Delegated authentication and authorization, for `/metrics`.
      { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
      { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
    ],
    namespace: [
      ...rulesOfWorkloads(names.workloads.filter(({ namespaced }) => namespaced)),
      { apiGroups: ['apps'], resources: ['daemonsets'], resourceNames: [...leftovers], verbs: ['delete'] },
      { apiGroups: [''], resources: ['serviceaccounts'], resourceNames: [...leftovers], verbs: ['delete'] },
      { apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['create'] },
      { apiGroups: [''], resources: ['secrets', 'configmaps'], resourceNames: [...names.certificates], verbs: [...read, 'patch'] },
      // The last configuration that all components had, for a rollback.
      { apiGroups: [''], resources: ['configmaps'], resourceNames: [names.lastApplied], verbs: ['get', 'patch'] },
      { apiGroups: ['monitoring.coreos.com'], resources: ['prometheusrules', 'servicemonitors'], verbs: ['create'] },
      {
        apiGroups: ['monitoring.coreos.com'],
        resources: ['prometheusrules', 'servicemonitors'],
        resourceNames: [...names.monitoring],
        verbs: [...read, 'patch'],
      },
      // Webhooks are registered once their Service leads to a server.
      { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: [...read] },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
      { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
    ],
  }
}
