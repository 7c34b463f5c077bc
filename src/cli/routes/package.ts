import { buildCommand, buildRouteMap, type RouteMap } from '@stricli/core'
import { workloadImage } from './cluster-flags.ts'
import type { CliContext } from '../context.ts'

const helm = buildCommand({
  loader: async () => (await import('../commands/system/package.ts')).helm,
  parameters: {
    flags: {
      output: {
        kind: 'parsed',
        parse: String,
        optional: true,
        brief: 'Folder of the chart; an earlier chart of steadyvm there is replaced (default: ./steadyvm)',
        placeholder: 'dir',
      },
      registry: {
        kind: 'parsed',
        parse: String,
        optional: true,
        brief: 'Default of the value "registry": the registry that has the images of the components',
        placeholder: 'registry',
      },
    },
  },
  docs: {
    brief: 'Write the Helm chart of this release: helm install steadyvm ./steadyvm --namespace kubevirt',
    fullDescription: `Write the Helm chart of this release, with the same objects that "steadyvm install" prints. Talks to no cluster.

  steadyvm package helm
  kubectl create namespace kubevirt
  kubectl label namespace kubevirt pod-security.kubernetes.io/enforce=privileged
  helm install steadyvm ./steadyvm --namespace kubevirt

Its values are in values.yaml; unknown ones are refused.`,
  },
})

const versionPattern = /^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/

/** Flags of both packages for OLM. */
const olmFlags = {
  registry: {
    kind: 'parsed',
    parse: String,
    optional: true,
    brief: 'Registry that has the images of the components',
    placeholder: 'registry',
  },
  channel: {
    kind: 'parsed',
    parse: matching(/^[a-z0-9][a-z0-9.-]*$/, 'a channel such as "stable"'),
    optional: true,
    brief: 'Channel of the package (default: stable)',
    placeholder: 'name',
  },
  maxOpenShift: {
    kind: 'parsed',
    parse: matching(/^4\.\d+$/, 'a minor version of OpenShift such as "4.20"'),
    optional: true,
    brief: 'Last version of OpenShift for this release: OpenShift is not upgraded beyond it (default: 4.20)',
    placeholder: '4.y',
  },
  workloadImage,
} as const

const olm = buildCommand({
  loader: async () => (await import('../commands/system/package.ts')).olm,
  parameters: {
    flags: {
      output: {
        kind: 'parsed',
        parse: String,
        optional: true,
        brief: 'Folder of the bundle; an earlier bundle of steadyvm there is replaced (default: ./bundle)',
        placeholder: 'dir',
      },
      ...olmFlags,
      replaces: {
        kind: 'parsed',
        parse: matching(versionPattern, 'a version such as "v0.1.0"'),
        optional: true,
        brief: 'Version of the channel that this release replaces',
        placeholder: 'version',
      },
    },
  },
  docs: {
    brief: 'Write the bundle of this release for the Operator Lifecycle Manager',
    fullDescription: `Write the bundle of this release for the Operator Lifecycle Manager (OLM): manifests, metadata and a Dockerfile. Talks to no cluster.

  steadyvm package olm --registry REGISTRY
  docker build -f bundle/bundle.Dockerfile -t REGISTRY/steadyvm-bundle:VERSION bundle

The bundle contains virt-operator and the operator of HyperConverged. virt-operator applies what a bundle cannot contain: the CSI
driver, the admission policies and a role binding in kube-system. "steadyvm package catalog" adds the bundle to a catalog.`,
  },
})

const catalog = buildCommand({
  loader: async () => (await import('../commands/system/package.ts')).catalog,
  parameters: {
    flags: {
      output: {
        kind: 'parsed',
        parse: String,
        optional: true,
        brief: 'Folder of the catalog; one that is there is continued (default: ./catalog)',
        placeholder: 'dir',
      },
      bundleImage: { kind: 'parsed', parse: String, brief: 'Image of the bundle of this release', placeholder: 'image' },
      ...olmFlags,
      replaces: {
        kind: 'parsed',
        parse: matching(versionPattern, 'a version such as "v0.1.0"'),
        optional: true,
        brief: 'Version of the channel that this release replaces (default: the last one of the channel)',
        placeholder: 'version',
      },
      skips: {
        kind: 'parsed',
        parse: matching(versionPattern, 'a version such as "v0.1.0"'),
        optional: true,
        variadic: ',',
        brief: 'Versions from which OLM upgrades to this release, and which it installs no more',
        placeholder: 'versions',
      },
      skipRange: {
        kind: 'parsed',
        parse: String,
        optional: true,
        brief: 'Range of versions from which OLM upgrades to this release, such as ">=0.1.0 <0.2.0"',
        placeholder: 'range',
      },
    },
  },
  docs: {
    brief: 'Add this release to a catalog of the Operator Lifecycle Manager',
    fullDescription: `Add this release to a file-based catalog of the Operator Lifecycle Manager (OLM), or begin one. Talks to no cluster.

  steadyvm package catalog --bundle-image REGISTRY/steadyvm-bundle:VERSION
  docker build -f catalog/catalog.Dockerfile --build-arg OPM_IMAGE=IMAGE -t REGISTRY/steadyvm-catalog:VERSION catalog

The release becomes the head of its channel. A catalog that "opm validate" would refuse is not written, and neither is one in
which an upgrade jumps over a required version.`,
  },
})

function matching(pattern: RegExp, what: string): (text: string) => string {
  return (text) => {
    if (!pattern.test(text)) throw new SyntaxError(`${JSON.stringify(text)} is not ${what}`)
    return text
  }
}

/** `steadyvm package`. */
export const packageRoutes: RouteMap<CliContext> = buildRouteMap({
  routes: { helm, olm, catalog },
  docs: { brief: "Write packages for cluster administrators' tools: a Helm chart, an OLM bundle, an OLM catalog" },
})
