import { defineConfig } from 'vite';

// The API: every path answers after a while, with the path it was asked for.
const api = {
  name: 'api',
  configureServer(server) {
    server.middlewares.use((request, response, next) => {
      if (!/^\/(api|graphql)\b/.test(request.url)) return next();
      setTimeout(() => {
        response.setHeader('Content-Type', 'application/json');
        response.end(JSON.stringify({ data: request.url }));
      }, 120);
    });
  },
};

export default defineConfig({ plugins: [api], cacheDir: '.vite', optimizeDeps: { include: ['axios', 'ky', '@tanstack/query-core'] } });
