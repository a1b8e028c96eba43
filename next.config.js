/** @type {import('next').NextConfig} */
export default {
  poweredByHeader: false,
  reactStrictMode: true,
  // The edge hands its own loopback address on, and the development channel is refused to other names.
  allowedDevOrigins: ['127.0.0.1'],
  async headers() {
    return [
      // Nobody else's page may put one of ours into a frame and have somebody click in it.
      { source: '/:path*', headers: [{ key: 'content-security-policy', value: "frame-ancestors 'self'" }] },
      {
        source: '/:path(sign-in|join|shared/.*)',
        headers: [
          { key: 'x-robots-tag', value: 'noindex, nofollow' },
          { key: 'referrer-policy', value: 'no-referrer' },
        ],
      },
    ];
  },
  // Types are checked by `npm run verify`; a first start should not pay for them again.
  typescript: { ignoreBuildErrors: true },
};
