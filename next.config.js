/** @type {import('next').NextConfig} */
export default {
  poweredByHeader: false,
  reactStrictMode: true,
  // The edge hands its own loopback address on, and the development channel is refused to other names.
  allowedDevOrigins: ['127.0.0.1'],
  // Types are checked by `npm run verify`; a first start should not pay for them again.
  typescript: { ignoreBuildErrors: true },
};
