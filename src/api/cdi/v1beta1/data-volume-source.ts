/** Source of the data of a DataVolume. One field is set. */
export interface DataVolumeSource extends ImportSourceType {
  /** PersistentVolumeClaim. */
  pvc?: DataVolumeSourceObject
  /** VolumeSnapshot. */
  snapshot?: DataVolumeSourceObject
  /** Upload by a client. */
  upload?: DataVolumeSourceUpload
}

/** Source outside of the cluster. One field is set. */
export interface ImportSourceType {
  /** An empty disk. */
  blank?: DataVolumeBlankImage
  /** Object of Google Cloud Storage. */
  gcs?: DataVolumeSourceGCS
  /** File of a web server. */
  http?: DataVolumeSourceHTTP
  /** Disk of oVirt. */
  imageio?: DataVolumeSourceImageIO
  /** Image of a container registry. */
  registry?: DataVolumeSourceRegistry
  /** Object of S3. */
  s3?: DataVolumeSourceS3
  /** Disk of VMware. */
  vddk?: DataVolumeSourceVDDK
}

/** An empty disk. */
export interface DataVolumeBlankImage {}

/** Upload by a client. */
export interface DataVolumeSourceUpload {}

/** Object in a namespace. */
export interface DataVolumeSourceObject {
  /** Namespace of the object. */
  namespace: string
  /** Name of the object. */
  name: string
}

/** Object of Google Cloud Storage. */
export interface DataVolumeSourceGCS {
  /** URL of the object. */
  url: string
  /** Secret with the credentials. */
  secretRef?: string
}

/** Object of S3. */
export interface DataVolumeSourceS3 extends DataVolumeSourceGCS {
  /** ConfigMap with the certificates of authorities. */
  certConfigMap?: string
}

/** File of a web server. */
export interface DataVolumeSourceHTTP extends DataVolumeSourceS3 {
  /** Headers of the request. */
  extraHeaders?: string[]
  /** Secrets with headers of the request. */
  secretExtraHeaders?: string[]
  /** Digest of the file: `md5`, `sha1`, `sha256` or `sha512`, a colon, and hexadecimal digits. */
  checksum?: string
  /** Accepts any certificate. */
  insecureSkipVerify?: boolean
}

/** Disk of oVirt. */
export interface DataVolumeSourceImageIO extends DataVolumeSourceS3 {
  /** Identifier of the disk. */
  diskId: string
  /** Accepts any certificate. */
  insecureSkipVerify?: boolean
}

/** Image of a container registry. */
export interface DataVolumeSourceRegistry {
  /** URL of the image, with the scheme `docker` or `oci-archive`. */
  url?: string
  /** Name of an ImageStream of OpenShift. */
  imageStream?: string
  /** Method of the download: `pod` or `node`. */
  pullMethod?: string
  /** Secret with the credentials. */
  secretRef?: string
  /** ConfigMap with the certificates of authorities. */
  certConfigMap?: string
  /** Platform of the image. */
  platform?: PlatformOptions
}

/** Platform of an image. */
export interface PlatformOptions {
  /** Architecture, such as amd64. */
  architecture?: string
}

/** Disk of VMware. */
export interface DataVolumeSourceVDDK {
  /** URL of the server. */
  url?: string
  /** Identifier of the VM. */
  uuid?: string
  /** Path of the disk. */
  backingFile?: string
  /** Thumbprint of the server's certificate. */
  thumbprint?: string
  /** Secret with the credentials. */
  secretRef?: string
  /** ConfigMap with the certificates of authorities. */
  certConfigMap?: string
  /** Image with VMware's library. */
  initImageURL?: string
  /** ConfigMap with arguments of the library. */
  extraArgs?: string
}
