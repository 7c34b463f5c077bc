import { notFound } from '#apimachinery/errors.ts'
import { dataSources as dataSourceKind } from '#api/cdi/v1beta1/resources.ts'
import { connectChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import { EXIT, type CliContext } from '#cli/context.ts'
import { describeImage, verifyImage } from '#cli/images/image-report.ts'
import { readImages } from '#cli/images/read-images.ts'
import { print, type OutputFormat } from '#cli/render/print.ts'
import { table } from '#cli/render/terminal.ts'

interface Flags extends ClusterFlags {
  readonly namespace?: string
  readonly allNamespaces: boolean
  readonly output: OutputFormat
}

/** Reports what is wrong with images. Ends with exit code 2 if there is anything. */
export async function verify(this: CliContext, flags: Flags, ...names: readonly string[]): Promise<void> {
  using cluster = await connectChosenCluster(this, flags)
  const namespace = flags.allNamespaces ? undefined : (flags.namespace ?? cluster.namespace)
  const { dataSources, lookup } = await readImages(cluster.client, namespace)
  const missing = names.find((name) => !dataSources.some(({ metadata }) => metadata.name === name))
  if (missing !== undefined) throw notFound(dataSourceKind, missing)
  const chosen = names.length === 0 ? dataSources : dataSources.filter(({ metadata }) => names.includes(metadata.name ?? ''))
  const images = chosen.map((dataSource) => {
    const { namespace: own, name, image, digest } = describeImage(dataSource, lookup)
    return {
      namespace: own,
      name,
      image,
      digest,
      findings: verifyImage(dataSource, lookup).map(({ reason, message }) => ({ reason, message })),
    }
  })
  const found = images.filter(({ findings }) => findings.length > 0)
  print(this, flags.output, {
    kind: 'ImageVerification',
    document: { images },
    names: found.map(({ name }) => `datasource.cdi.kubevirt.io/${name}`),
    text: () =>
      table(
        images.flatMap(({ namespace: own, name, digest, findings }) =>
          findings.length === 0
            ? [[`${own}/${name}`, 'ok', digest === '' ? 'complete; its digest is not known' : `complete; ${digest}`]]
            : findings.map(({ reason, message }) => [`${own}/${name}`, reason, message]),
        ),
      ),
  })
  this.process.stderr.write(
    found.length === 0
      ? `${images.length} images, nothing is wrong with them\n`
      : `${found.length} of ${images.length} images cannot be used, or are not what they are to be\n`,
  )
  if (found.length > 0) this.process.exitCode = EXIT.findings
}
