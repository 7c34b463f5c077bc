import type { PolicyRule } from '#api/rbac/v1/role.ts'
import { userRules } from './user-roles.ts'

/** Informers use all three, and reads on demand some of them. */
const read = ['get', 'list', 'watch']
/** Controllers write by patches, which have the resourceVersion as a precondition. */
const manage = ['create', 'patch', 'delete']

const instancetypes = ['virtualmachineinstancetypes', 'virtualmachinepreferences']
const clusterInstancetypes = ['virtualmachineclusterinstancetypes', 'virtualmachineclusterpreferences']
const hardware = [...instancetypes, ...clusterInstancetypes]
const snapshots = ['virtualmachinesnapshots', 'virtualmachinesnapshotcontents', 'virtualmachinerestores']
const machines = ['virtualmachines', 'virtualmachineinstances', 'virtualmachineinstancemigrations', 'virtualmachineinstancepresets']
const imports = ['datavolumes', 'datasources', 'dataimportcrons']
const populators = ['volumeimportsources', 'volumeuploadsources', 'volumeclonesources']
const cdiSettings = ['storageprofiles', 'cdiconfigs', 'cdis']

function rule(group: string | readonly string[], resources: readonly string[], verbs: readonly string[]): PolicyRule {
  return { apiGroups: [group].flat(), resources: [...resources], verbs: [...verbs] }
}

const parts = (resources: readonly string[], ...names: readonly string[]): string[] =>
  resources.flatMap((resource) => names.map((name) => `${resource}/${name}`))

/**
 * The owner of an object that sets `blockOwnerDeletion`. Clusters with the admission plugin
 * OwnerReferencesPermissionEnforcement, such as OpenShift, ask for it.
 */
const own = (group: string, resources: readonly string[]): PolicyRule => rule(group, parts(resources, 'finalizers'), ['update'])

const events = rule('', ['events'], ['create', 'patch'])
const leases = rule('coordination.k8s.io', ['leases'], ['get', 'create', 'update'])
/** Delegated authentication and authorization, for `/metrics` and virt-api's subresources. */
const reviews = [
  rule('authentication.k8s.io', ['tokenreviews'], ['create']),
  rule('authorization.k8s.io', ['subjectaccessreviews'], ['create']),
]

/**
 * Rules of the components that the operator installs: in the whole cluster, and in the own
 * namespace of the component only.
 */
const installedRules: Readonly<
  Record<
    'virt-api' | 'virt-controller' | 'virt-handler',
    { readonly cluster: readonly PolicyRule[]; readonly namespace: readonly PolicyRule[] }
  >
> = {
  'virt-api': {
    cluster: [
      // virt-api checks that the registrations contain the current CA bundle.
      rule('admissionregistration.k8s.io', ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'], ['get']),
      rule('apiregistration.k8s.io', ['apiservices'], ['get']),
      // virt-api converts these kinds between versions, and patches the served versions.
      {
        ...rule('apiextensions.k8s.io', ['customresourcedefinitions'], [...read, 'patch']),
        resourceNames: hardware.map((plural) => `${plural}.instancetype.kubevirt.io`),
      },
      // Where the CRD is CDI's, its objects are CDI's business.
      { ...rule('apiextensions.k8s.io', ['customresourcedefinitions'], ['get']), resourceNames: ['datavolumes.cdi.kubevirt.io'] },
      rule('kubevirt.io', [...machines, 'kubevirts'], read),
      // Existing objects can prevent the removal of the system.
      rule('kubevirt.io', ['virtualmachineinstancereplicasets'], ['list']),
      // The start, stop and restart subresources are requests recorded in the VM's status.
      rule('kubevirt.io', ['virtualmachines', 'virtualmachines/status', 'virtualmachineinstances'], ['patch']),
      rule('kubevirt.io', ['virtualmachineinstancemigrations'], ['create']),
      rule('instancetype.kubevirt.io', hardware, read),
      rule('snapshot.kubevirt.io', snapshots, read),
      rule('clone.kubevirt.io', ['virtualmachineclones'], read),
      rule('migrations.kubevirt.io', ['migrationpolicies'], read),
      // Downloads of exports come through virt-api.
      rule('export.kubevirt.io', ['virtualmachineexports'], ['get']),
      rule('cdi.kubevirt.io', [...imports, ...cdiSettings, 'volumeclonesources'], read),
      rule('snapshot.storage.k8s.io', ['volumesnapshots'], read),
      rule('apps', ['controllerrevisions'], read),
      rule('', ['namespaces', 'nodes', 'persistentvolumeclaims', 'pods'], read),
      rule('storage.k8s.io', ['storageclasses'], read),
      ...reviews,
    ],
    namespace: [
      { ...rule('', ['secrets'], read), resourceNames: ['kubevirt-virt-api-certs', 'kubevirt-virt-handler-certs'] },
      { ...rule('', ['configmaps'], read), resourceNames: ['kubevirt-ca'] },
      { ...rule('', ['configmaps'], ['get']), resourceNames: ['kubevirt-export-ca'] },
    ],
  },
  'virt-controller': {
    cluster: [
      rule('kubevirt.io', [...machines, 'kubevirts'], read),
      rule('kubevirt.io', ['virtualmachines', 'virtualmachineinstances', 'virtualmachineinstancemigrations'], manage),
      rule('kubevirt.io', parts(['virtualmachines', 'virtualmachineinstancemigrations', 'kubevirts'], 'status'), ['patch']),
      own('kubevirt.io', ['virtualmachines', 'virtualmachineinstances', 'virtualmachineinstancereplicasets']),
      rule('kubevirt.io', ['virtualmachineinstancereplicasets'], read),
      rule('kubevirt.io', ['virtualmachineinstancereplicasets/status'], ['patch']),
      rule('pool.kubevirt.io', ['virtualmachinepools'], [...read, 'patch']),
      rule('pool.kubevirt.io', ['virtualmachinepools/status'], ['patch']),
      own('pool.kubevirt.io', ['virtualmachinepools']),
      rule('snapshot.kubevirt.io', snapshots, [...read, ...manage]),
      rule('snapshot.kubevirt.io', parts(snapshots, 'status'), ['patch']),
      own('snapshot.kubevirt.io', ['virtualmachinesnapshotcontents']),
      rule('clone.kubevirt.io', ['virtualmachineclones'], read),
      rule('clone.kubevirt.io', ['virtualmachineclones/status'], ['patch']),
      own('clone.kubevirt.io', ['virtualmachineclones']),
      // virt-controller fills DataVolumes, and creates those of VMs and DataImportCrons. The disks
      // that a pool preserves no longer belong to the deleted VM.
      rule('cdi.kubevirt.io', [...imports, ...populators, ...cdiSettings, 'objecttransfers'], read),
      rule('cdi.kubevirt.io', ['datavolumes', 'datasources'], manage),
      rule('cdi.kubevirt.io', parts([...imports, ...cdiSettings], 'status'), ['patch']),
      rule('cdi.kubevirt.io', ['storageprofiles', 'cdiconfigs'], manage),
      // Digests and times of a DataImportCron are in its annotations.
      rule('cdi.kubevirt.io', ['dataimportcrons'], ['patch']),
      own('cdi.kubevirt.io', imports),
      // Expired exports are deleted. An export has a Service; its pod, and each worker that fills a
      // volume, has a certificate of its own in a Secret that is not read again.
      rule('export.kubevirt.io', ['virtualmachineexports'], [...read, 'delete']),
      rule('export.kubevirt.io', ['virtualmachineexports/status'], ['patch']),
      own('export.kubevirt.io', ['virtualmachineexports']),
      own('', ['pods']),
      rule('', ['services'], [...read, 'create']),
      rule('', ['secrets', 'configmaps'], ['create']),
      // Drivers take the snapshots of volumes where they can.
      rule('snapshot.storage.k8s.io', ['volumesnapshots'], ['get', 'create']),
      rule('snapshot.storage.k8s.io', ['volumesnapshotclasses'], ['list']),
      rule('snapshot.storage.k8s.io', ['volumesnapshotcontents'], ['get']),
      rule('migrations.kubevirt.io', ['migrationpolicies'], read),
      rule('steadyvm.io', ['hardwarerecords'], read),
      rule('instancetype.kubevirt.io', hardware, read),
      // The storage migrator rewrites objects in old storage versions without a change of content,
      // and then updates the stored versions in the status of the CRD.
      rule('instancetype.kubevirt.io', instancetypes, ['patch']),
      rule('kubevirt.io', ['virtualmachineinstancepresets', 'kubevirts'], ['patch']),
      rule('clone.kubevirt.io', ['virtualmachineclones'], ['patch']),
      rule('apiextensions.k8s.io', ['customresourcedefinitions/status'], ['patch']),
      // virt-controller maintains the catalogue of instance types and preferences.
      rule('instancetype.kubevirt.io', clusterInstancetypes, ['create', 'patch', 'delete']),
      rule('apps', ['controllerrevisions'], [...read, ...manage]),
      rule('', ['pods'], [...read, ...manage]),
      // Launcher pods get the size of guests that get sockets or memory.
      rule('', ['pods/resize'], ['patch']),
      // Old images of DataImportCrons are deleted.
      rule('', ['persistentvolumeclaims'], [...read, ...manage]),
      own('', ['persistentvolumeclaims']),
      // The volume of a claim that was filled becomes that of the claim that named the content.
      rule('', ['persistentvolumes'], ['get', 'patch']),
      rule('', ['pods/eviction'], ['create']),
      rule('', ['namespaces'], read),
      rule('', ['nodes'], [...read, 'patch']),
      rule('policy', ['poddisruptionbudgets'], [...read, ...manage]),
      rule('storage.k8s.io', ['storageclasses'], read),
      rule('apiextensions.k8s.io', ['customresourcedefinitions'], read),
      ...reviews,
      events,
    ],
    namespace: [
      leases,
      // virt-controller asks the workers that fill volumes for their progress.
      { ...rule('', ['secrets'], read), resourceNames: ['kubevirt-virt-controller-client-certs'] },
      { ...rule('', ['configmaps'], read), resourceNames: ['kubevirt-ca'] },
      // Which labels of VMs are labels of a metric.
      { ...rule('', ['configmaps'], read), resourceNames: ['kubevirt-vm-labels-config'] },
      // The authority of export servers.
      { ...rule('', ['secrets'], read), resourceNames: ['kubevirt-export-ca'] },
      { ...rule('', ['configmaps'], read), resourceNames: ['kubevirt-export-ca', 'kube-root-ca.crt'] },
      // External links of exports have the certificate of their Ingress, whose Secret has any name.
      // Pods that virt-controller may create here could mount it, too.
      rule('networking.k8s.io', ['ingresses'], ['list']),
      rule('route.openshift.io', ['routes'], ['list']),
      rule('', ['secrets'], ['get']),
    ],
  },
  'virt-handler': {
    cluster: [
      rule('kubevirt.io', ['virtualmachineinstances'], [...read, 'patch']),
      rule('kubevirt.io', ['kubevirts', 'virtualmachineinstancemigrations', 'virtualmachines'], read),
      // virt-handler writes the hardware records.
      rule('steadyvm.io', ['hardwarerecords'], ['get', 'create', 'update']),
      rule('migrations.kubevirt.io', ['migrationpolicies'], read),
      rule('', ['nodes'], [...read, 'patch']),
      rule('', ['pods'], read),
      // In machine mode virt-handler makes the networks. On a cluster Multus does.
      rule('k8s.cni.cncf.io', ['network-attachment-definitions'], ['get']),
      ...reviews,
      events,
    ],
    namespace: [
      { ...rule('', ['secrets'], read), resourceNames: ['kubevirt-virt-handler-server-certs'] },
      { ...rule('', ['configmaps'], read), resourceNames: ['kubevirt-ca'] },
    ],
  },
}

const formerWrites = ['create', 'delete', 'deletecollection', 'patch', 'update']

/**
 * Rights that components of earlier releases have and those of this one do not. While two releases
 * run, a role grants what either needs, and RBAC lets virt-operator write only roles whose rights
 * it has itself.
 */
export const formerRules: readonly PolicyRule[] = [
  rule('kubevirt.io', machines, formerWrites),
  rule('kubevirt.io', [...parts(machines, 'status', 'finalizers'), 'kubevirts/status'], ['patch', 'update']),
  rule('snapshot.kubevirt.io', snapshots, formerWrites),
  rule('snapshot.kubevirt.io', parts(snapshots, 'status', 'finalizers'), ['patch', 'update']),
  rule('clone.kubevirt.io', ['virtualmachineclones'], formerWrites),
  rule('clone.kubevirt.io', parts(['virtualmachineclones'], 'status', 'finalizers'), ['patch', 'update']),
  rule('cdi.kubevirt.io', imports, formerWrites),
  rule('apps', ['controllerrevisions'], formerWrites),
  rule('', ['pods', 'persistentvolumeclaims', 'configmaps'], [...read, ...formerWrites]),
  rule('', ['pods/status', 'pods/finalizers', 'nodes'], ['patch', 'update']),
  rule('policy', ['poddisruptionbudgets'], formerWrites),
  rule(['', 'events.k8s.io'], ['events'], ['create', 'patch', 'update']),
]

/**
 * Least privilege by component, without wildcards. The embedded API server grants these rights to
 * the components of a machine, and `steadyvm install` to the components of a cluster, so that every
 * test on a machine also tests the rights in a cluster.
 */
export const componentRules: Readonly<
  Record<
    'virt-operator' | 'virt-api' | 'virt-controller' | 'virt-handler',
    { readonly cluster: readonly PolicyRule[]; readonly namespace: readonly PolicyRule[] }
  >
> = {
  'virt-operator': {
    cluster: [
      // virt-operator holds a finalizer until all installed objects are deleted.
      rule('kubevirt.io', ['kubevirts'], [...read, 'patch']),
      rule('kubevirt.io', ['kubevirts/status'], ['patch']),
      // Cluster-scoped objects that virt-operator installs, and their rights: RBAC rejects the
      // grant of rights that the granter does not have.
      rule('apiextensions.k8s.io', ['customresourcedefinitions'], [...read, 'create', 'patch', 'delete']),
      rule('rbac.authorization.k8s.io', ['clusterroles', 'clusterrolebindings'], [...read, 'create', 'patch', 'delete']),
      ...Object.values(installedRules).flatMap(({ cluster }) => cluster),
      ...formerRules,
      ...userRules,
      // virt-operator marks nodes before the replacement of their node agents.
      rule('', ['nodes'], [...read, 'patch']),
      // The check before an upgrade reads all objects that can block the upgrade.
      rule('kubevirt.io', ['virtualmachines', 'virtualmachineinstances'], read),
      rule('instancetype.kubevirt.io', hardware, read),
      rule('snapshot.kubevirt.io', snapshots, read),
      rule('migrations.kubevirt.io', ['migrationpolicies'], read),
      rule('', ['pods', 'namespaces', 'resourcequotas'], read),
      rule('apps', ['controllerrevisions', 'deployments'], read),
      rule('policy', ['poddisruptionbudgets'], read),
      rule('discovery.k8s.io', ['endpointslices'], read),
      rule('hco.kubevirt.io', ['hyperconvergeds'], read),
      rule('steadyvm.io', ['componentoverrides'], read),
      // virt-operator registers the webhooks and the API services.
      rule(
        'admissionregistration.k8s.io',
        ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
        [...read, 'create', 'patch', 'update', 'delete'],
      ),
      rule('apiregistration.k8s.io', ['apiservices'], [...read, 'create', 'patch', 'update', 'delete']),
      // What Prometheus needs where its operator is installed, and the rights that it is granted.
      rule('monitoring.coreos.com', ['servicemonitors', 'prometheusrules'], [...read, 'create', 'patch', 'delete']),
      rule('', ['serviceaccounts'], ['get']),
      { nonResourceURLs: ['/metrics'], verbs: ['get'] },
      rule('authorization.k8s.io', ['subjectaccessreviews', 'selfsubjectaccessreviews'], ['create']),
      rule('authentication.k8s.io', ['selfsubjectreviews', 'tokenreviews'], ['create']),
    ],
    namespace: [
      // Namespaced objects that virt-operator installs, and their rights.
      ...Object.values(installedRules).flatMap(({ namespace }) => namespace),
      rule('rbac.authorization.k8s.io', ['roles', 'rolebindings'], [...read, 'create', 'patch', 'delete']),
      rule('apps', ['deployments', 'daemonsets'], [...read, ...manage]),
      rule('', ['services'], [...read, ...manage]),
      rule('policy', ['poddisruptionbudgets'], [...read, ...manage]),
      rule('', ['endpoints'], read),
      // virt-operator replaces the pods of the node agents one by one.
      rule('', ['pods'], ['delete']),
      // virt-operator issues the certificates of the other components.
      rule('', ['secrets', 'configmaps'], [...read, 'create', 'patch', 'delete']),
      leases,
      events,
    ],
  },
  ...installedRules,
}

/**
 * Role for reading the front-proxy configuration of the API server, which exists in every cluster.
 */
export const frontProxyReader = {
  component: 'virt-api',
  role: 'extension-apiserver-authentication-reader',
  namespace: 'kube-system',
} as const
