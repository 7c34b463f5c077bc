import { connectChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import type { CliContext } from '#cli/context.ts'
import { describeImage, type ImageRow } from '#cli/images/image-report.ts'
import { readableSize } from '#cli/images/image-size.ts'
import { readImages } from '#cli/images/read-images.ts'
import { formatAge } from '#cli/render/age.ts'
import { print, type OutputFormat } from '#cli/render/print.ts'
import { table } from '#cli/render/terminal.ts'

interface Flags extends ClusterFlags {
  readonly namespace?: string
  readonly allNamespaces: boolean
  readonly output: OutputFormat
}

/** Characters of a digest in a table; `-o wide` has all. */
const shortDigest = 19

/** Lists DataSources with the images that they name. */
export async function list(this: CliContext, flags: Flags): Promise<void> {
  using cluster = await connectChosenCluster(this, flags)
  const namespace = flags.allNamespaces ? undefined : (flags.namespace ?? cluster.namespace)
  const { dataSources, lookup } = await readImages(cluster.client, namespace)
  const images = dataSources.map((each) => describeImage(each, lookup))
  if (images.length === 0) this.process.stderr.write(`No images found${namespace === undefined ? '' : ` in ${namespace} namespace`}.\n`)
  print(this, flags.output, {
    kind: 'ImageList',
    document: { images },
    names: images.map(({ name }) => `datasource.cdi.kubevirt.io/${name}`),
    text: (isWide) => (images.length === 0 ? '' : table(rowsOf(images, { isWide, hasNamespace: flags.allNamespaces, nowMs: this.now() }))),
  })
}

function rowsOf(
  images: readonly ImageRow[],
  { isWide, hasNamespace, nowMs }: { readonly isWide: boolean; readonly hasNamespace: boolean; readonly nowMs: number },
): readonly (readonly string[])[] {
  const space = (text: string): readonly string[] => (hasNamespace ? [text] : [])
  const wide = (...texts: readonly string[]): readonly string[] => (isWide ? texts : [])
  return [
    [...space('NAMESPACE'), 'NAME', 'IMAGE', 'SIZE', 'PHASE', 'DIGEST', 'AGE', ...wide('INSTANCETYPE', 'PREFERENCE', 'CRON', 'FROM')],
    ...images.map((each) => [
      ...space(each.namespace),
      each.name,
      each.image,
      readableSize(each.size),
      each.phase,
      isWide ? each.digest : each.digest.slice(0, shortDigest),
      formatAge(each.createdAt, nowMs),
      ...wide(each.instancetype, each.preference, each.cron, each.from),
    ]),
  ]
}
